import type { Capabilities } from '../../contract/agent-found.ts';
import type { Words } from './words.ts';

const TOLD = ['resume', 'cost', 'tokens', 'schema', 'permission_requests', 'read_only'] as const;

/** The abilities an agent has and those it lacks, in one line. */
export function abilities(capabilities: Capabilities, words: Words): string {
  const named = (has: boolean) =>
    TOLD.filter((ability) => capabilities[ability] === has).map((ability) => words(`cli.ability.${ability}`));
  const can = words('cli.agent_can', {
    list: [...named(true), words(`cli.ability.${capabilities.cancel}`)].join(', '),
  });
  const cannot = named(false);
  return cannot.length === 0 ? can : `${can}; ${words('cli.agent_cannot', { list: cannot.join(', ') })}`;
}
