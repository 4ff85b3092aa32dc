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
    summary: "fit three densities to photographs, compare them, denoise; writes a report",
    load: () => import("./commands/demo.js"),
  },
  {
    name: "fit",
    summary: "fit a density to patches of images",
    load: () => import("./commands/fit.js"),
  },
  {
    name: "inspect",
    summary: "show what a model file holds",
    load: () => import("./commands/inspect.js"),
  },
  {
    name: "verify",
    summary: "say what is proven and what was observed about a model's invertibility",
    load: () => import("./commands/verify.js"),
  },
  {
    name: "sample",
    summary: "draw from the density of a model",
    load: () => import("./commands/sample.js"),
  },
  {
    name: "evaluate",
    summary: "log-likelihood of images under a model",
    load: () => import("./commands/evaluate.js"),
  },
  {
    name: "denoise",
    summary: "take white noise out of pictures",
    load: () => import("./commands/denoise.js"),
  },
  {
    name: "export",
    summary: "write the parameters of a model for numpy",
    load: () => import("./commands/export.js"),
  },
  {
    name: "paper",
    summary: "reproduce the paper's figures; writes a report",
    load: () => import("./commands/paper.js"),
  },
  {
    name: "lab",
    summary: "try everything in the browser, and watch fits",
    load: () => import("./commands/lab.js"),
  },
  {
    name: "data",
    summary: "list, fetch and verify public sets of photographs",
    load: () => import("./commands/data.js"),
  },
];
