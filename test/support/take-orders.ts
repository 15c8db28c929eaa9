import { once } from 'node:events';
import { createOrders } from '../../src/adapters/agent-pull/orders.ts';

/** A worker's process that takes every order it can get: `take-orders.ts <dir> <worker>`; begins when told on stdin. */
const [dir = '', worker = ''] = process.argv.slice(2);
const orders = createOrders({ dir, now: () => new Date().toISOString() });
const open = await orders.open();
process.stdout.write('ready\n');
await once(process.stdin, 'data');
const taken: string[] = [];
for (const { id } of open) if (await orders.take(id, worker)) taken.push(id);
process.stdout.write(`${JSON.stringify(taken)}\n`);
process.exit();
