/** One object of what `baton --json` prints. */
export type JsonLine = Readonly<Record<string, unknown>> & { readonly type?: string };

type Print = (line: string) => void;

/** Notices that say what another line says already, or more than a first look needs. */
const UNTOLD = new RegExp(
  [
    '\\.phase\\.|^conventions\\.|\\.conventions_handed_over$',
    '\\.notice\\.(worker|worker_done|setup|round|round_closed|nothing_new|discovery|analysing|critic|document)$',
    '\\.notice\\.(draft|changes|synthesised|revised|revising|completed|handed_on|approved|closed|published)$',
  ].join('|'),
);

/** What follows the first thing a notice says, where that is enough. */
const REST = / To take it over: .*$|: AssertionError.*$/;

/** Turns the progress of one command into lines for a reader: one per thing that happened. */
export function createTeller(print: Print): (told: JsonLine) => void {
  const group = { of: 0, done: 0 };
  return (told) => {
    if (told.type === 'step_started') Object.assign(group, { of: workersIn(told), done: 0 });
    if (told.type === 'call') reportCall(told, group, print);
    if (told.type === 'notice' || told.type === 'recovered') printNotice(told, print);
  };
}

function workersIn({ kind, calls }: JsonLine): number {
  return kind === 'work' ? (calls as unknown[]).length : 0;
}

/** Workers of one step are one line, when the last of them is done. After a resume the step was begun by another process. */
function reportCall(told: JsonLine, group: { of: number; done: number }, print: Print): void {
  if (told.state !== 'done') return;
  group.done += 1;
  if (group.of <= 1) print(worker(told));
  else if (group.done === group.of) print(`✓ ${group.of} workers at the same time`);
}

function worker({ role, text }: JsonLine): string {
  return `✓ ${String(role).replaceAll('_', ' ')}: ${String(text ?? 'nothing more')}`;
}

function printNotice({ text, level, rendered }: JsonLine, print: Print): void {
  const { msg } = text as { msg: string };
  // What a build tells its ticket is told by the ticket.
  if (UNTOLD.test(msg) || rendered === undefined) return;
  print(`${level === 'warning' ? '!' : '·'} ${String(rendered).replace(REST, '')}`);
}
