import type { Command } from "commander";
import type { Effects } from "./effects.js";

/** A module of commands/. */
export interface CommandModule {
  /** Declares arguments, options and the action on a command that already has its name. */
  configure(command: Command, effects: Effects): void;
}

export interface CommandEntry {
  readonly name: string;
  /** One line of `gaussianize --help`, which does not load the command. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every command of `gaussianize`, in the order of `gaussianize --help`. */
export const commands: readonly CommandEntry[] = [
  {
    name: "demo",
    summary: "fit three densities to photographs, compare them, write a report",
    load: () => import("./commands/demo.js"),
  },
  {
    name: "fit",
    summary: "fit a density to patches of images, or to whole images",
    load: () => import("./commands/fit.js"),
  },
  {
    name: "mix",
    summary: "make one density of several models, or of all poses of a patch",
    load: () => import("./commands/mix.js"),
  },
  {
    name: "inspect",
    summary: "show what a model file or a checkpoint holds",
    load: () => import("./commands/inspect.js"),
  },
  {
    name: "verify",
    summary: "check that a model is invertible",
    load: () => import("./commands/verify.js"),
  },
  {
    name: "sample",
    summary: "draw samples from a model",
    load: () => import("./commands/sample.js"),
  },
  {
    name: "evaluate",
    summary: "measure the log-likelihood of images under models",
    load: () => import("./commands/evaluate.js"),
  },
  {
    name: "denoise",
    summary: "remove white noise from pictures",
    load: () => import("./commands/denoise.js"),
  },
  {
    name: "export",
    summary: "write the parameters of a model for numpy",
    load: () => import("./commands/export.js"),
  },
  {
    name: "paper",
    summary: "repeat the experiments of the paper, write a report",
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
