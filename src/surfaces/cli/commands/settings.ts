import type { Trust } from '../../../contract/knowledge-views.ts';
import type { SettingChange } from '../../../contract/setting.ts';
import { PROJECT_MODES, TRUST_LEVELS } from '../../../contract/ticket.ts';
import type { Api } from '../../../runtime/api.ts';
import { badValueLines } from '../bad-value.ts';
import { type Context, need, withApi } from '../context.ts';
import { EXIT, refuse } from '../exit.ts';
import { showRows } from '../stop-blocks.ts';
import type { Words } from '../words.ts';

interface Setting {
  readonly command: 'trust' | 'project';
  /** The name of the value in JSON. */
  readonly named: 'level' | 'mode';
  readonly allowed: readonly string[];
  /** The value until a person sets one. */
  readonly plain: string;
  readonly says: (words: Words, value: string) => string;
  readonly set: (api: Api, value: string) => ReturnType<Api['setTrust']>;
}

const TRUST: Setting = {
  command: 'trust',
  named: 'level',
  allowed: TRUST_LEVELS,
  plain: 'balanced',
  says: (words, level) => words('cli.trust_is', { level }),
  set: (api, level) => api.setTrust({ level }),
};
const MODE: Setting = {
  command: 'project',
  named: 'mode',
  allowed: PROJECT_MODES,
  plain: 'opinionated',
  says: (words, mode) => words('cli.project_is', { mode }),
  set: (api, mode) => api.setProjectMode({ mode }),
};

/** Shows the workspace's trust level, or sets it as a person. */
export async function trust(context: Context): Promise<number> {
  const [level] = context.values.positionals;
  if (level !== undefined) return change(context, TRUST, level);
  return withApi(
    context,
    async ({ api }) => showTrust(context, await api.trust(), await api.settingChanges('trust')),
    { absent: () => showTrust(context, { level: 'balanced', raw: null }, []) },
  );
}

/** Shows the project's mode, key and trust level, or sets the mode as a person. */
export async function project(context: Context): Promise<number> {
  const [mode] = context.values.positionals;
  if (mode !== undefined) return change(context, MODE, mode);
  return withApi(
    context,
    async ({ api }) => showProject(context, await api.project(), await api.settingChanges('mode')),
    {
      absent: () =>
        showProject(context, { mode: 'opinionated', key: null, agent_trust: { level: 'balanced' } }, []),
    },
  );
}

/** An unknown value is a usage error before the store is opened. A known value needs a person, as an answer does. */
async function change(context: Context, setting: Setting, to: string): Promise<number> {
  const { command, allowed } = setting;
  if (!allowed.includes(to))
    return refuse(EXIT.usage, badValueLines(`baton ${command}`, to, allowed, context.words));
  return withApi(
    context,
    async (open) => {
      const done = await need(open, await setting.set(open.api, to));
      return printChanged(context, setting, to, done.change);
    },
    { create: true },
  );
}

function printChanged(context: Context, setting: Setting, to: string, made: SettingChange | null): number {
  const { screen, words } = context;
  const said = setting.says(words, to);
  if (screen.json) screen.printJson({ ok: true, [setting.named]: to, change: made });
  screen.text(
    made
      ? words('cli.setting_changed', { said, before: made.from ?? setting.plain })
      : words('cli.setting_same', { said }),
  );
  if (to === 'cautious') {
    screen.text(words('cli.trust_ignores'));
    showRows(screen, [[words('cli.allow_again'), 'baton trust balanced']]);
  }
  return EXIT.done;
}

function showTrust(context: Context, { level, raw }: Trust, changes: readonly SettingChange[]): number {
  const { screen, words } = context;
  if (screen.json) screen.printJson({ ok: true, level, raw, changes });
  screen.text(screen.paint('strong', words('cli.trust_is', { level })));
  if (raw !== null && raw !== level) screen.text(screen.paint('waits', words('cli.trust_unknown', { raw })));
  showRows(
    screen,
    TRUST_LEVELS.map((each) => [each, words(`cli.trust_levels.${each}`)] as const),
  );
  screen.text(words('cli.trust_floors'));
  screen.text(words('cli.change_with', { command: 'baton trust <level>' }));
  showChanges(context, changes);
  return EXIT.done;
}

interface ProjectShown {
  readonly mode: (typeof PROJECT_MODES)[number];
  /** Null if nothing was started here yet. */
  readonly key: string | null;
  readonly agent_trust: { readonly level: string };
}

function showProject(context: Context, shown: ProjectShown, changes: readonly SettingChange[]): number {
  const { screen, words } = context;
  const { mode, key, agent_trust } = shown;
  if (screen.json) screen.printJson({ ok: true, ...shown, changes });
  screen.text(screen.paint('strong', words('cli.project_is', { mode })));
  showRows(screen, [
    ...PROJECT_MODES.map((each) => [each, words(`cli.project_modes.${each}`)] as const),
    ...(key === null ? [] : [[words('cli.ticket_key'), `${key}   (${key}-1, ${key}-2, ...)`] as const]),
    [words('cli.trust_label'), `${agent_trust.level}   (baton trust)`],
  ]);
  screen.text(words('cli.change_with', { command: 'baton project <mode>' }));
  showChanges(context, changes);
  return EXIT.done;
}

/** Shows who changed the setting, oldest change first. */
function showChanges(context: Context, changes: readonly SettingChange[]): void {
  if (changes.length === 0) return;
  context.screen.text(context.words('cli.changes'));
  showRows(
    context.screen,
    changes.map(({ at, from, to, who, surface }) => {
      const when = at.slice(0, 16).replace('T', ' ');
      return [when, `${from ?? '-'} -> ${to}   ${who} (${surface})`] as const;
    }),
  );
}
