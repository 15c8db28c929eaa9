import { mkdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Msg } from './contract/brief.ts';
import type { PersonConfig } from './contract/person-config.ts';
import { errno } from './engine/system-error.ts';
import { configError, parseSettings, readSettingsFile, type SettingsFile } from './read-settings-file.ts';

/** The person's settings, with warnings about the file. */
export interface PersonSettings {
  readonly config: PersonConfig;
  /** The file as a person would type it. */
  readonly file: string;
  readonly warnings: readonly Msg[];
}

/**
 * `$XDG_CONFIG_HOME/baton/config.yaml`, else `~/.config/baton/config.yaml`. A relative value of the variable is
 * ignored.
 */
export function personConfigFile(): SettingsFile {
  const { XDG_CONFIG_HOME } = process.env;
  const home = homedir();
  const base =
    XDG_CONFIG_HOME && path.isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : path.join(home, '.config');
  const file = path.join(base, 'baton', 'config.yaml');
  return { path: file, name: file.startsWith(`${home}${path.sep}`) ? `~${file.slice(home.length)}` : file };
}

/**
 * The person's settings, or the defaults. A file that others can write to is refused. A file that others can read
 * causes a warning.
 */
export async function readPersonConfig(): Promise<PersonSettings> {
  const { PersonConfig } = await import('./contract/person-config.ts');
  const file = personConfigFile();
  const warnings = await accessWarnings(file);
  const config = await parseSettings(PersonConfig, await readSettingsFile(file), file.name);
  return { config, file: file.name, warnings };
}

const [OTHERS_WRITE, OTHERS_READ] = [0o022, 0o044];

/** Checks owner and permissions, as ssh does for its settings: the file decides which programs run. */
async function accessWarnings({ path: file, name }: SettingsFile): Promise<Msg[]> {
  const found = await stat(file).catch(() => null);
  if (!found) return []; // missing or unreadable: reading the file reports it
  const foreign = found.uid !== 0 && found.uid !== process.getuid?.();
  if (foreign || (found.mode & OTHERS_WRITE) !== 0)
    throw configError(`other users can change this file. Make it yours alone: chmod 600 ${name}`, name);
  return (found.mode & OTHERS_READ) === 0 ? [] : [{ msg: 'engine.settings.readable', args: { file: name } }];
}

/** Writes the file with access for its person only. An existing file is not overwritten. */
export async function writePersonConfig(text: string): Promise<'written' | 'exists' | 'failed'> {
  const { path: file } = personConfigFile();
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return 'written';
  } catch (error) {
    return errno(error) === 'EEXIST' ? 'exists' : 'failed';
  }
}

/** Expands `~/` in a path of the settings to the person's home. */
export function expandHome(name: string): string {
  return name.startsWith('~/') ? path.join(homedir(), name.slice(2)) : name;
}
