import type { Command } from "commander";
import type { Effects } from "./effects.js";

/** What a file in commands/ exports. */
export interface CommandModule {
  /** Declares arguments, options and the action on a command that already has its name. */
  configure(command: Command, effects: Effects): void;
}

export interface CommandEntry {
  readonly name: string;
  /** One line for `gaussianize --help`, which therefore need not load the command. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every command of `gaussianize`, in the order of the help text. */
export const commands: readonly CommandEntry[] = [
  {
    name: "demo",
    summary: "fit two densities to synthetic scenes and compare them",
    load: () => import("./commands/demo.js"),
  },
];
