import type { Scenario } from './scenario.ts';

const SAYS = `
script: 1
language: en
roles:
  alpha: [{ result: { say: a } }, { result: { say: a2 } }]
  beta: [{ garbage: nothing, attempts: [{ result: { say: b } }] }, { result: { say: b2 } }]
  gamma: [{ silence: true, attempts: [{ silence: true }, { silence: true }] }]
`;
const base = { workflow: 'probe', script: SAYS, result: 'done' } as const;

/** What `spec` does not use: parallel calls that fail, hold, children, messages, waits, deployments. */
export const probeScenarios: readonly Scenario[] = [
  {
    ...base,
    name: 'parallel',
    input: {
      script: [
        { do: 'work', roles: ['alpha', 'beta', 'gamma'] },
        { do: 'gate', name: 'form' },
      ],
    },
    answers: { form: [{ option: 'go', draft: { one: 'typed' }, fields: { one: 'typed', two: null } }] },
  },
  {
    ...base,
    name: 'limited',
    script: `
script: 1
language: en
roles:
  alpha: [{ limited: 0.2, attempts: [{ garbage: nothing }, { limited: true, usage: { tokens: 5 } }, { result: { say: a } }] }]
  beta: [{ usage_steps: [{ tokens: 3 }], denied: network, result: { say: b } }]
`,
    input: {
      script: [
        { do: 'work', roles: ['alpha', 'beta'] },
        { do: 'gate', name: 'ask' },
      ],
    },
    answers: { ask: [{ option: 'go' }] },
  },
  {
    ...base,
    name: 'writes',
    input: {
      script: [
        { do: 'append', file: 'log.txt', line: 'one' },
        { do: 'gate', name: 'ask' },
        { do: 'append', file: 'log.txt', line: 'two' },
        { do: 'check', command: 'true' },
      ],
    },
    answers: { ask: [{ option: 'hold' }, { option: 'change', text: 'again' }] },
    commands: ['resume'],
  },
  {
    ...base,
    name: 'deploys',
    asks: true,
    input: {
      script: [
        { do: 'work', roles: ['alpha'] },
        { do: 'deploy', line: 'v1' },
        { do: 'gate', name: 'hard' },
      ],
    },
    answers: { hard: [{ option: 'go', typed: 'probe' }] },
  },
  {
    ...base,
    name: 'children',
    input: {
      script: [
        {
          do: 'spawn',
          key: 'kid',
          script: [
            { do: 'gate', name: 'ask' },
            { do: 'append', file: 'kid.txt', line: 'x' },
          ],
        },
        { do: 'children', count: 1 },
        { do: 'sleep', until: '2020-01-01T00:00:00.000Z' },
        { do: 'halt' },
      ],
    },
    answers: { ask: [{ option: 'go' }] },
    commands: ['resume'],
  },
];
