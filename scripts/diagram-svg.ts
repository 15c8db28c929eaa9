export type Point = readonly [x: number, y: number];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Label {
  readonly kind: string;
  readonly title: string;
  readonly note: string;
}

/** The drawing has its own background, so it is readable on a page whose theme differs from the system's. */
const STYLE = `
  svg { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 11px }
  .page { fill: #ffffff; stroke: #d1d9e0 } text { fill: #59636e }
  .title { fill: #1f2328; font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: 12px }
  .head { fill: #1f2328; font-size: 13px; font-weight: 600 }
  .box { fill: #f6f8fa; stroke: #818b98 } .edge { fill: none; stroke: #59636e } .tip { fill: #59636e }
  .you { fill: #fff1d6; stroke: #9a6700 } .agent { fill: #ddf4ff; stroke: #0969da } .pure { fill: #dafbe1; stroke: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #3d444d } text { fill: #b1bac4 }
    .title, .head { fill: #f0f6fc }
    .box { fill: #151b23; stroke: #656c76 } .edge { stroke: #9198a1 } .tip { fill: #9198a1 }
    .you { fill: #341a00; stroke: #d29922 } .agent { fill: #0c2d6b; stroke: #4493f8 } .pure { fill: #033a16; stroke: #3fb950 }
  }`;

/** A whole drawing; `title` is read aloud where the picture cannot be seen. */
export function drawing(width: number, height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}
</style>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker>
<rect class="page" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`;
}

export function labelled({ x, y, width, height }: Box, { kind, title, note }: Label): string {
  const middle = x + width / 2;
  const first = y + height / 2 - (note ? 3 : -4);
  return [
    `<rect class="box ${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    words([middle, first], title, 'title', 'middle'),
    ...(note ? [words([middle, first + 15], note, 'note', 'middle')] : []),
  ].join('\n');
}

export function arrow(name: string, points: readonly Point[]): string {
  const path = points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  return `<path class="edge" marker-end="url(#tip)" d="${path}"><title>${escaped(name)}</title></path>`;
}

export function words([x, y]: Point, text: string, kind = 'note', anchor = 'start'): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
