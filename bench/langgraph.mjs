// The same job on LangGraph with its SQLite saver, in a process of its own: one line of JSON in, one line out.
// Plain JavaScript, because it runs under whatever Node the native driver was built for.
import { createInterface } from 'node:readline';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';

const [file, payload] = process.argv.slice(2);
const NODES = ['s1', 's2', 'g1', 's3', 's4', 's5', 'g2', 's6', 's7'];
const OPTIONS = { durability: 'sync' };

const saver = SqliteSaver.fromConnString(file);
saver.setup();
// Its own default is NORMAL, which may lose the last commits when the power goes.
saver.db.pragma('synchronous = FULL');
const graph = build();

const lines = createInterface({ input: process.stdin });
process.stdout.write('{"ready":true}\n');
for await (const line of lines) {
  const { ids, together } = JSON.parse(line);
  const queue = [...ids];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) await one(id);
    }),
  );
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - started })}\n`);
}
saver.db.close();

function build() {
  const State = Annotation.Root({
    count: Annotation({ reducer: (a, b) => a + b, default: () => 0 }),
    last: Annotation(),
  });
  const draft = new StateGraph(State);
  for (const node of NODES) draft.addNode(node, node.startsWith('g') ? gate(node) : step(node));
  draft.addEdge(START, 's1');
  NODES.forEach((node, n) => {
    draft.addEdge(node, NODES[n + 1] ?? END);
  });
  return draft.compile({ checkpointer: saver });
}

function gate(node) {
  return async () => ({ last: { gate: node, answer: interrupt({ ask: node }) } });
}

function step(node) {
  return async () => ({ count: 1, last: { step: node, out: payload } });
}

async function one(id) {
  const config = { configurable: { thread_id: id }, ...OPTIONS };
  await graph.invoke({ count: 0 }, config);
  await graph.invoke(new Command({ resume: 'go' }), config);
  const end = await graph.invoke(new Command({ resume: 'go' }), config);
  if (end.count !== 7) throw new Error(`ended after ${end.count} steps`);
}
