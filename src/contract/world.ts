import * as z from 'zod';
import { SpecFileFound } from './approve.ts';
import type { Msg } from './brief.ts';
import {
  BuildPr,
  type Merge,
  Observed,
  type ObserveQuery,
  ReleaseFacts,
  type ReleaseQuery,
} from './code-host.ts';
import type { ChecksConfig } from './config.ts';
import { ConventionsFound } from './conventions.ts';
import {
  ChangeSetFound,
  Committed,
  ContentFound,
  HandoverFound,
  OutputBase,
  PatchApplied,
  PatchSaved,
  ProjectFound,
  SnapshotTaken,
} from './deliver-found.ts';
import type { Hash } from './ids.ts';
import { KnowledgeFound, type KnowledgeQuery } from './knowledge.ts';
import { DocumentsWritten, SetupFound } from './spec.ts';
import type { SlotRef } from './step.ts';

/** The result of every query that a workflow can make. */
export const QUERIES = {
  setup: SetupFound,
  conventions: ConventionsFound,
  spec_file: SpecFileFound,
  output_base: OutputBase,
  project: ProjectFound,
  handover: HandoverFound,
  change_set: ChangeSetFound,
  content: ContentFound,
  knowledge: KnowledgeFound,
  'host.release': ReleaseFacts,
  'host.observe': Observed,
} as const satisfies Readonly<Record<keyof QueryInputs, z.ZodType>>;

/** The input of every query. The adapters check it again. */
interface QueryInputs {
  readonly setup: { readonly slug: string; readonly docs_path: string; readonly branch: string | null };
  readonly conventions: {
    readonly reference: string | null;
    readonly reference_hash: Hash | null;
    readonly claude_md?: boolean;
  };
  readonly spec_file: { readonly path: string };
  readonly output_base: { readonly docs_path: string; readonly slug: string };
  readonly project: {
    readonly lint_cmd: string | null;
    readonly type_check_cmd: string | null;
    readonly scope: readonly string[] | null;
    readonly checks: ChecksConfig;
  };
  readonly handover: { readonly docs_path: string; readonly slug: string };
  readonly change_set: {
    readonly since: string;
    readonly scope: readonly string[] | null;
    readonly max_files: number | null;
    readonly docs_path: string;
    readonly commands: readonly string[];
    readonly run?: string;
    readonly only?: readonly string[];
  };
  readonly content: { readonly since: string; readonly paths: readonly string[] };
  readonly knowledge: Partial<KnowledgeQuery> & { readonly ticket: string | null };
  readonly 'host.release': ReleaseQuery;
  readonly 'host.observe': ObserveQuery;
}

/** Every write that a workflow can make: which adapter performs it, and its result. */
export const WRITES = {
  write_documents: { kind: 'workspace', result: DocumentsWritten },
  open_tree: { kind: 'workspace', result: SnapshotTaken },
  take_base: { kind: 'workspace', result: SnapshotTaken },
  apply_patch: { kind: 'workspace', result: PatchApplied },
  commit: { kind: 'workspace', result: Committed },
  publish: { kind: 'workspace', result: z.unknown() },
  clean_up: { kind: 'workspace', result: z.unknown() },
  save_patch: { kind: 'workspace', result: PatchSaved },
  wipe_base: { kind: 'workspace', result: z.unknown() },
  open_pull_request: { kind: 'tracker', result: BuildPr },
  merge: { kind: 'tracker', result: z.looseObject({ merged_sha: z.string() }) },
  deploy: { kind: 'deploy', result: z.unknown() },
} as const satisfies Readonly<
  Record<keyof WriteInputs, { readonly kind: 'workspace' | 'tracker' | 'deploy'; readonly result: z.ZodType }>
>;

/** A document that the runtime renders, and the message of a commit that it translates. */
type Documents = {
  readonly documents: readonly {
    readonly file: string;
    readonly document: string;
    readonly source: SlotRef;
  }[];
  readonly message: Msg;
};

/** The input of every write. The runtime renders documents and translates texts before the adapter gets them. */
interface WriteInputs {
  readonly write_documents: Documents & {
    readonly docs_path: string;
    readonly slug?: string;
    readonly branch: string | null;
    readonly base: string | null;
    readonly in_place: boolean;
    readonly overwrite: boolean;
    readonly own_only?: boolean;
  };
  readonly open_tree: { readonly base: string | null; readonly branch: string | null };
  readonly take_base: { readonly since: string | null; readonly paths: readonly string[] };
  readonly apply_patch: {
    readonly patch: { readonly artefact: Hash | null; readonly field: 'diff' };
    readonly scope: readonly string[] | null;
  };
  readonly commit: {
    readonly docs_path: string;
    readonly slug: string;
    readonly branch: string | null;
    readonly paths: readonly string[];
    readonly staged: readonly string[];
    readonly message: Msg;
    readonly body: { readonly document: string; readonly source: SlotRef };
    readonly all: boolean;
    readonly since: string;
    readonly content: string | undefined;
    readonly take_hooks: boolean;
    readonly left_to_hooks: readonly string[];
    readonly unasked: boolean;
  };
  readonly publish: { readonly branch: string | null; readonly commit: string | null };
  readonly clean_up: {
    readonly docs_path: string;
    readonly slug: string;
    readonly remove: readonly string[];
    readonly commit: string | null;
  };
  readonly save_patch: { readonly since: string };
  readonly wipe_base: { readonly base: string };
  readonly open_pull_request: {
    readonly ticket: string;
    readonly branch: string;
    readonly base: string | null;
    readonly title: string;
    readonly body: string;
    readonly replaces: readonly number[];
  };
  readonly merge: Omit<Merge, 'message'> & { readonly message: Msg };
  readonly deploy: { readonly ticket: string; readonly sha: string; readonly base: string };
}

export type QueryName = keyof QueryInputs;
export type QueryInput<Q extends QueryName> = QueryInputs[Q];
/** What an adapter returns for a query. */
export type QueryResult<Q extends QueryName> = DeepReadonly<z.input<(typeof QUERIES)[Q]>>;
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;
export type Found<Q extends QueryName> = z.output<(typeof QUERIES)[Q]>;
export type WriteName = keyof WriteInputs;
export type WriteInput<W extends WriteName> = WriteInputs[W];
export type Written<W extends WriteName> = z.output<(typeof WRITES)[W]['result']>;
