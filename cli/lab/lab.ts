/** The work of `gaussianize lab`: serves the page until Ctrl-C. */
import { once } from "node:events";
import { join } from "node:path";
import { type LabServer, isPortTaken, openLabServer } from "../../node/lab-server.js";
import type { Effects } from "../effects.js";
import { packageFolder } from "../package.js";

export interface LabOptions {
  readonly port?: number;
  readonly host: string;
  readonly open?: true;
  readonly json?: true;
}

/** A fixed port, so that the address in the browser's history stays valid. */
const usualPort = 4417;

export async function lab(
  runs: string | undefined,
  options: LabOptions,
  effects: Effects,
): Promise<void> {
  const server = await openServer(runs, options);
  // Only now is there something to close.
  const signal = effects.interruption();
  try {
    const { address, isPrivate } = server;
    if (!isPrivate) {
      const reach = runs === undefined ? "the lab" : `the lab and the runs in ${runs}`;
      effects.stderr.write(
        `Warning: anyone who can reach ${options.host} can open ${reach} without a password.\n`,
      );
    }
    effects.stdout.write(options.json ? `${JSON.stringify({ address })}\n` : `${address}\n`);
    effects.stderr.write("Press Ctrl-C to stop the lab.\n");
    if (options.open && !(await effects.browse(address))) {
      effects.stderr.write(`Cannot open a browser; open the address above yourself.\n`);
    }
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await server.close();
  }
}

async function openServer(runs: string | undefined, options: LabOptions): Promise<LabServer> {
  const { host, port } = options;
  const folder = join(packageFolder(), "dist", "lab");
  const listenOn = (to: number): Promise<LabServer> =>
    openLabServer({ folder, runs, host, port: to });
  if (port !== undefined) return listenOn(port);
  return listenOn(usualPort).catch((error: unknown) => {
    if (isPortTaken(error)) return listenOn(0);
    throw error;
  });
}
