import * as z from 'zod';
import type { DeliverState } from '../../contract/deliver.ts';
import { DeliverSpec } from '../../contract/deliver-work.ts';
import type { SlotRef } from '../../contract/step.ts';
import type { DocumentTable } from '../../engine/workflow.ts';
import { renderConventions } from '../kit/convention-document.ts';
import { type Evidence, EvidencePart, joinEvidence } from './evidence.ts';
import { askedFor, renderCommitBody, renderEvidence, SPEC_NAMES } from './evidence-markdown.ts';
import { renderChanges, renderVerifyReport } from './markdown.ts';
import { isFrom } from './phases.ts';
import { renderQaReport } from './qa-markdown.ts';
import { renderDeliverSpec } from './spec-markdown.ts';

const spec = (file: string) =>
  ({
    file,
    render: (source, t) => renderDeliverSpec(DeliverSpec.parse(JSON.parse(source as string)), t),
  }) satisfies DocumentTable[string];

const verbatim = (file: string) =>
  ({ file, render: (source) => source as string }) satisfies DocumentTable[string];

/** Every document of a run (WF-84), rendered from stored artefacts and entries, the newest revision of each. */
export const deliverDocuments = {
  spec: spec('spec.md'),
  deliver_spec: spec('deliver_spec.md'),
  changes: {
    file: 'changes.md',
    entries: 'changes',
    render: (source, t) => renderChanges(listOf(source), t),
  },
  verify_report: {
    file: 'verify_report.md',
    entries: 'verify_report',
    render: (source, t, facts) => renderVerifyReport(listOf(source), t, facts),
  },
  qa_report: {
    file: 'qa_report.md',
    entries: 'qa_report',
    render: (source, t) => renderQaReport(listOf(source), t),
  },
  evidence: {
    file: 'evidence.md',
    entries: 'evidence',
    costs: true,
    reads: SPEC_NAMES,
    render: (source, t, facts) => renderEvidence(evidenceIn(source), t, facts),
  },
  evidence_json: {
    file: 'evidence.json',
    entries: 'evidence',
    costs: true,
    reads: SPEC_NAMES,
    render: (source, _, facts) => {
      const { run, title: task, rehearsal, agents, containment, cost } = facts;
      const asked = [...askedFor(facts).values()];
      const known = { run, task, rehearsal, agents, ...(containment && { containment }) };
      return `${JSON.stringify({ ...known, ...evidenceIn(source), asked, cost }, null, 2)}\n`;
    },
  },
  /** Never written as a file: the commit message below its subject. */
  commit_body: {
    file: 'commit_body.txt',
    reads: SPEC_NAMES,
    digests: ['evidence_json'],
    render: (source, t, facts) => renderCommitBody(evidenceIn(source), t, facts),
  },
  qa_notes: verbatim('qa_notes.md'),
  critic_findings: verbatim('critic_findings.md'),
  conventions: { file: 'conventions.md', render: renderConventions },
} as const satisfies DocumentTable;

function evidenceIn(source: unknown): Evidence {
  return joinEvidence(z.array(EvidencePart).parse(source));
}

function listOf(source: unknown): readonly unknown[] {
  return Array.isArray(source) ? source : [];
}

type DocumentName = keyof typeof deliverDocuments;

/** Documents that a later run reads. They stay with the code, whatever else is removed (WF-71). */
export const HANDED_ON: readonly string[] = ['qa_notes.md', 'critic_findings.md', 'conventions.md'];

/** The documents that exist now, and the source of each. */
export function documentsOf(
  state: DeliverState,
): { file: string; document: DocumentName; source: SlotRef }[] {
  return SOURCES.flatMap(([document, source]) => {
    const from = source(state);
    return from ? [{ file: deliverDocuments[document].file, document, source: from }] : [];
  });
}

const SOURCES: readonly (readonly [DocumentName, (state: DeliverState) => SlotRef | null])[] = [
  ['spec', (state) => ownSpec(state, 'spec.md')],
  ['deliver_spec', (state) => ownSpec(state, 'deliver_spec.md')],
  ['changes', ({ attempt: { changes } }) => (changes ? { records: 'changes' } : null)],
  ['verify_report', ({ checks: { report } }) => (report ? { records: 'verify_report' } : null)],
  ['qa_report', ({ verdict: { qa } }) => (qa ? { records: 'qa_report' } : null)],
  ['evidence', evidenceSource],
  ['evidence_json', evidenceSource],
  ['qa_notes', ({ plan: { handover } }) => (handover?.qa_notes ? { artefact: handover.qa_notes } : null)],
  [
    'critic_findings',
    ({ plan: { handover } }) => (handover?.critic_findings ? { artefact: handover.critic_findings } : null),
  ],
  ['conventions', ({ conventions }) => (conventions && conventions !== 'skipped' ? conventions : null)],
];

function evidenceSource({ phase }: DeliverState): SlotRef | null {
  return isFrom(phase, 'completed') ? { records: 'evidence' } : null;
}

function ownSpec({ plan: { spec, spec_file } }: DeliverState, file: string): SlotRef | null {
  return spec && spec_file === file ? { artefact: spec.hash } : null;
}
