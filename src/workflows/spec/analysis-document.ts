import {
  ANALYST_SECTIONS,
  type Analysis,
  type AnalystRole,
  analysisSchema,
  type CriticItem,
  CriticResult,
  NONE_DETECTED,
  type SectionKey,
} from '../../contract/spec-analysis.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** An analysis as people read it. A text that is not an analysis is shown as it came. */
export function renderAnalysis(source: unknown, t: Translate): string {
  const text = source as string;
  const analysis = readAnalysis(text);
  if (!analysis) return text;
  const sections = Object.entries(analysis.sections).map(([key, found]) => {
    const heading = `## ${t(say(`spec.section.${key as SectionKey}`))}`;
    if (found === NONE_DETECTED) return `${heading}\n\n${NONE_DETECTED}`;
    return `${heading}\n\n${found.map((one) => bullet(findingText(one))).join('\n')}`;
  });
  const title = `# ${t(say(`spec.analyst.${analysis.persona as AnalystRole}`))}`;
  const empty = analysis.reason && !analysis.has_findings ? [analysis.reason] : [];
  return `${[title, ...empty, ...sections].join('\n\n')}\n`;
}

function readAnalysis(text: string): Analysis | null {
  const value = parseJson(text);
  for (const [role, sections] of Object.entries(ANALYST_SECTIONS)) {
    const parsed = analysisSchema(role, sections).safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}

function findingText(finding: string | Readonly<Record<string, string>>): string {
  if (typeof finding === 'string') return finding;
  const { text = '', ...more } = finding;
  const extra = Object.entries(more).map(([key, value]) => `${key}: ${value}`);
  return `${text} (${extra.join('; ')})`;
}

const FIELDS = ['issue', 'impact', 'fix'] as const;

/**
 * The critic's findings as people read them. Ids and severity words stay English. A text that cannot be parsed stays as
 * it came.
 */
export function renderFindings(source: unknown, t: Translate): string {
  const text = source as string;
  const parsed = CriticResult.safeParse(parseJson(text));
  if (!parsed.success) return text;
  const { items } = parsed.data;
  const blocks = items.map((item) => renderItem(item, t));
  const none = items.length === 0 ? [t(say('spec.findings.none'))] : [];
  return `${[`# ${t(say('spec.findings.title'))}`, ...none, ...blocks].join('\n\n')}\n`;
}

function renderItem(item: CriticItem, t: Translate): string {
  const lines = FIELDS.map((field) => bullet(`**${t(say(`spec.findings.${field}`))}**: ${item[field]}`));
  return `## ${item.id} (${item.severity}): ${item.title.replace(/\s*\n\s*/g, ' ')}\n\n${lines.join('\n')}`;
}

/** Later lines are indented, so a text cannot begin an item or a heading. */
function bullet(text: string): string {
  return `- ${text.replaceAll('\n', '\n  ')}`;
}
