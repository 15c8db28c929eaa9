import { ScanResult } from '../../contract/conventions.ts';
import { parseJson } from '../../engine/parse-json.ts';
import type { Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';

/** A copied file stays as it is, byte for byte. The result of a scan becomes four sections. */
export function renderConventions(source: unknown, t: Translate): string {
  const text = source as string;
  const scan = ScanResult.safeParse(parseJson(text));
  if (!scan.success) return text;
  const areas = (['db', 'api', 'files', 'tests'] as const).map((area) => {
    const found = scan.data[area];
    const lines =
      found === 'N/A' ? 'N/A' : found.map((line) => `- ${line.replaceAll('\n', '\n  ')}`).join('\n');
    return `## ${t(say(`conventions.doc.${area}`))}\n\n${lines}`;
  });
  return `${[`# ${t(say('conventions.doc.title'))}`, ...areas].join('\n\n')}\n`;
}
