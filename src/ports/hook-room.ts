/** Access of commit hooks and filters besides the machine's programs. */
interface HookRoomPlan {
  readonly cwd: string;
  readonly writes: readonly string[];
  /** Folders that appear empty, even inside a folder of `writes`. */
  readonly hides: readonly string[];
  /** Read-only, even inside a folder of `hides`. A missing path is left out. */
  readonly shows: readonly string[];
}

/** A command as started in the sandbox, with its complete environment. */
interface HookCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The sandbox of commit hooks: no credentials, no network, no state directory. Its processes end with the command. */
export type HookRoom = (plan: HookRoomPlan) => Promise<EnterRoom>;

export type EnterRoom = (argv: readonly string[]) => HookCommand;
