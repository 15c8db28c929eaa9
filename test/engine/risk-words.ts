import type { RiskClass } from '../../src/contract/ticket.ts';

/** The words of the requirement, written out once more. */
export const RISK_WORDS_OF_THE_REQUIREMENT: Readonly<Record<RiskClass, readonly string[]>> = {
  auth: [
    ...['auth', 'authn', 'authz', 'authentication', 'authorization', 'oauth', 'login', 'log in', 'log-in'],
    ...['logout', 'sign in', 'sign out', 'session', 'api token', 'access tokens', 'password', 'passwords'],
    ...[
      'credential',
      'credentials',
      'RLS',
      'row level security',
      'permission',
      'permissions',
      'role',
      'roles',
    ],
  ],
  'data-migration': [
    ...['migration', 'migrations', 'schema', 'alter table', 'add column', 'drop column'],
    ...['backfill', 'backfills', 'backfilled', 'backfilling', 'data migration'],
  ],
  'irreversible-destructive': [
    ...['drop table', 'drop column', 'drop database', 'drop schema', 'drop index', 'drop constraint'],
    ...['delete from', 'truncate', 'irreversible', 'hard delete', 'hard deleted', 'hard deletes'],
    ...['purge', 'purges', 'purged', 'purging', 'destructive', 'unrecoverable'],
    ...['permanently delete', 'permanently remove', 'permanently destroy'],
  ],
  'shared-core': ['shared core'],
};
