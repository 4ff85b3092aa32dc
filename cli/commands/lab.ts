/** `gaussianize lab [RUNS]`: the lab in the browser. */
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { type LabServer, isPortTaken, openLabServer } from "../../node/lab-server.js";
import type { Effects } from "../effects.js";
import { outputFolder, wholeNumber } from "../options.js";

interface LabOptions {
  readonly port?: number;
  readonly host: string;
  readonly open?: true;
  readonly json?: true;
}

/**
 * The same each time, so that the address in the history of a browser still leads here tomorrow.
 */
const usualPort = 4417;

export function configure(command: Command, effects: Effects): void {
  command
    .description(
      "Serves the lab to browsers on this machine: pairs, patches, denoising and fits, all computed in the page. With RUNS, a folder in which `gaussianize fit` keeps its runs, it shows them too, while they go on.",
    )
    .argument("[runs]", "folder with runs", outputFolder)
    .option(
      "--port <n>",
      `port to listen on, 0 for any that is free (default: ${usualPort}, or another where that is taken)`,
      wholeNumber(0, 65535),
    )
    .option(
      "--host <address>",
      "address to listen on: others than this machine's own let in others",
      hostName,
      "127.0.0.1",
    )
    .option("--open", "show it in the browser")
    .option("--json", "print the address as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  gaussianize lab --open\n  gaussianize lab runs/            with the fits in runs/, live\n  gaussianize lab runs/ --port 8080\n",
    )
    .action((runs: string | undefined, options: LabOptions) => lab(runs, options, effects));
}

function hostName(text: string): string {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be an address or a name of this machine.");
}

async function lab(runs: string | undefined, options: LabOptions, effects: Effects): Promise<void> {
  const server = await openServer(runs, options);
  // From here on: what fails before needs nothing to be closed.
  const signal = effects.interruption();
  try {
    const { address, isPrivate } = server;
    if (!isPrivate) {
      const reach = runs === undefined ? "the lab" : `the lab, and the runs in ${runs}`;
      effects.stderr.write(
        `Warning: everyone who can reach ${options.host} can open ${reach}; there is no password.\n`,
      );
    }
    effects.stdout.write(options.json ? `${JSON.stringify({ address })}\n` : `${address}\n`);
    effects.stderr.write("Ctrl-C ends the lab.\n");
    if (options.open && !(await effects.browse(address))) {
      effects.stderr.write(`No browser could be opened; open ${address} yourself.\n`);
    }
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await server.close();
  }
}

async function openServer(runs: string | undefined, options: LabOptions): Promise<LabServer> {
  const { host, port } = options;
  const listenOn = (to: number): Promise<LabServer> =>
    openLabServer({ folder: pageFolder(), runs, host, port: to });
  if (port !== undefined) return listenOn(port);
  return listenOn(usualPort).catch((error: unknown) => {
    if (isPortTaken(error)) return listenOn(0);
    throw error;
  });
}

/** The package refers to itself by name, which works from cli/ and from dist/cli/ alike. */
function pageFolder(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve("gaussianize/package.json")), "dist", "lab");
}
