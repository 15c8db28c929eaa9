import type { DeliverState } from '../../contract/deliver.ts';
import { type OpenItem, type Qa, type Report, SHOWN } from '../../contract/deliver-report.ts';
import type { Evaluation } from '../../contract/deliver-work.ts';
import { oneLine } from './moves.ts';

/** A verdict with the rows that fail a layer. A layer passes exactly when it has no such row. */
export interface Judgement {
  readonly verdict: 'PASS' | 'FAIL_L2' | 'FAIL_L3';
  readonly failing: readonly OpenItem[];
  readonly warnings: readonly OpenItem[];
  readonly met: number;
}

/**
 * Computes the verdict from the checklist and the stored layer-1 report, without a model (WF-61, WF-63). If the
 * evaluator claims a worse verdict than its rows, the claim counts. If verdict and report disagree, the failure wins
 * (WF-65).
 */
export function judge(evaluation: Evaluation, report: Report | null, waived = false): Judgement {
  const layer2 = [...layer2Failures(evaluation, report), ...(waived ? [] : emptyChange(report))];
  const warnings = missingTests(evaluation);
  const met = evaluation.criteria.filter(isMet).length;
  if (layer2.length > 0 || evaluation.verdict === 'FAIL_L2') {
    const failing = layer2.length > 0 ? layer2 : [claimed(evaluation)];
    return { verdict: 'FAIL_L2', failing, warnings, met };
  }
  const layer3 = layer3Failures(evaluation, report);
  if (layer3.length === 0 && evaluation.verdict === 'PASS')
    return { verdict: 'PASS', failing: [], warnings, met };
  return { verdict: 'FAIL_L3', failing: layer3.length > 0 ? layer3 : [claimed(evaluation)], warnings, met };
}

function claimed({ verdict, summary }: Evaluation): OpenItem {
  return { id: 'verdict', text: oneLine(`${verdict}: ${summary}`) };
}

/** A YES without evidence counts as NO. */
function isMet({ met, evidence }: Evaluation['criteria'][number]): boolean {
  return met === 'YES' && evidence.length > 0;
}

/**
 * Fails for a criterion not met with evidence, a file without a requirement or outside its limits, too many files, or a
 * risk (WF-61).
 */
function layer2Failures(evaluation: Evaluation, report: Report | null): OpenItem[] {
  const unmet = evaluation.criteria
    .filter((row) => !isMet(row))
    .map(({ id, met, note }) => item(id, note || (met === 'YES' ? 'no evidence was given' : 'not met')));
  const outsideFiles = evaluation.files
    .filter(({ requirements }) => requirements.length === 0)
    .map(({ path, note }) => item('scope', `${path}: ${note || 'maps to no requirement'}`));
  const outside = (report?.outside ?? []).map(({ path, code }) => item('scope', `${path} (${code})`));
  const many = report?.too_many ? [item('scope', `${report.files} changed files`)] : [];
  const risks = evaluation.risks.map(({ kind, file, line, text }) =>
    item(kind, `${file}${line === null ? '' : `:${line}`} ${text}`),
  );
  return [...unmet, ...outsideFiles, ...outside, ...many, ...risks];
}

/** An empty change meets no requirement, unless a person asked to have the project judged as it is. */
function emptyChange(report: Report | null): OpenItem[] {
  return report?.files === 0 ? [item('scope', 'nothing was changed')] : [];
}

/**
 * Fails for the five questions of layer 3, and for a build or test on record as failed. A waiver does not lift the
 * latter (WF-63).
 */
function layer3Failures({ layer3 }: Evaluation, report: Report | null): OpenItem[] {
  const broken = (report?.checks ?? [])
    .filter(({ name, judged }) => (name === 'build' || name === 'test') && judged === 'fail')
    .map(({ name }) => item(name, `${name} is on record as failed`));
  if (!layer3) return [item('layer3', 'was not judged'), ...broken];
  const { bug_free, ...others } = layer3;
  const judged = Object.entries({ ...others, bug_free })
    .filter(([, { result }]) => result === 'FAIL')
    .map(([name, { evidence }]) => item(name, evidence));
  const confirmed = bug_free.hypotheses
    .filter(({ finding }) => finding === 'confirmed')
    .map(({ text }) => item('bug_free', text));
  return [...judged, ...confirmed, ...broken];
}

/** A criterion without a test is a warning only. */
function missingTests({ criteria, tests }: Evaluation): OpenItem[] {
  const tested = new Set(tests.filter(({ test }) => test !== null).map(({ criterion }) => criterion));
  return criteria.filter(({ id }) => !tested.has(id)).map(({ id }) => item(id, 'no test shows this'));
}

function item(id: string, text: string): OpenItem {
  return { id: id.slice(0, 60), text: oneLine(text) };
}

/** Layer 2 on record: FAIL for FAIL_L2, PASS for FAIL_L3 and PASS, null without an evaluation (WF-64). */
export function layer2Result(verdict: Qa['verdict']): DeliverState['checks']['verify']['layer2_result'] {
  if (verdict === 'NONE') return null;
  return verdict === 'FAIL_L2' ? 'FAIL' : 'PASS';
}

/** The checklist must hold every criterion and every changed path exactly once (WF-62). Returns the faults. */
export function checklistFaults(
  { criteria, files }: Evaluation,
  wanted: { readonly criteria: readonly string[]; readonly paths: readonly string[] },
): string[] {
  const ids = criteria.map(({ id }) => id);
  const paths = files.map(({ path }) => path);
  const foreign = files.flatMap(({ path, requirements }) =>
    requirements
      .filter((id) => !wanted.criteria.includes(id))
      .map((id) => `${path}: ${id} is no criterion of the specification.`),
  );
  return [
    ...rowFaults('criterion', ids, wanted.criteria),
    ...rowFaults('changed path', paths, wanted.paths),
    ...foreign.slice(0, SHOWN.items),
  ];
}

function rowFaults(what: string, found: readonly string[], wanted: readonly string[]): string[] {
  const missing = wanted.filter((one) => !found.includes(one)).map((one) => `The ${what} ${one} has no row.`);
  const twice = [...new Set(found.filter((one, index) => found.indexOf(one) !== index))].map(
    (one) => `The ${what} ${one} has more than one row.`,
  );
  const unknown = found
    .filter((one) => !wanted.includes(one))
    .map((one) => `${one} is no ${what} of this change.`);
  return [...missing, ...twice, ...unknown].slice(0, SHOWN.items);
}
