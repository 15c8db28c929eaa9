import type { SettingChange } from '../contract/setting.ts';

/** Settings of the workspace, never in the repository. Every change is recorded. */
export interface SettingsStore {
  /** Null: never set. */
  setting(name: string): Promise<string | null>;
  /** The recorded change. Null if the setting already had that value, and nothing was written. */
  changeSetting(change: Omit<SettingChange, 'from'>): Promise<SettingChange | null>;
  /** Oldest first. */
  settingChanges(name: string): Promise<SettingChange[]>;
}
