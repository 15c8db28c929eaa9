import { mkdirSync, writeFileSync } from 'node:fs';
import { drawLayers } from './diagram-layers.ts';
import { drawRun } from './diagram-run.ts';

const FOLDER = 'docs/diagrams';

/** The drawings of the guides, by file name. */
export function diagrams(): Record<string, string> {
  return { 'deliver-run.svg': drawRun(), 'layers.svg': drawLayers() };
}

if (import.meta.main) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, svg] of Object.entries(diagrams())) writeFileSync(`${FOLDER}/${name}`, svg);
}
