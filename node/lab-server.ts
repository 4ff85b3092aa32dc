/** The server of the lab's page: it reads, for this machine, what it was started for. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { type Answer, isLoopback, ownHosts, refusalOf, send, sentence } from "./lab/answer.js";
import { requireRunsFolder } from "./lab/find-runs.js";
import { RunsApi, withoutRuns } from "./lab/runs-api.js";
import { type Site, answerFile, readSite } from "./lab/site.js";

/** How patient the server is, in milliseconds, and with how many at once. */
export interface LabServerLimits {
  /** Until all headers of a request are there. */
  readonly headers: number;
  /** Without a byte in either direction. */
  readonly silence: number;
  readonly connections: number;
}

export interface LabServerOptions {
  /** With the built page: dist/lab. */
  readonly folder: string;
  /** With runs of `gaussianize fit`, which the page then shows. */
  readonly runs?: string | undefined;
  /** Default 127.0.0.1, for this machine alone. */
  readonly host?: string;
  /** Default 0: one that is free. */
  readonly port?: number;
  readonly limits?: Partial<LabServerLimits>;
}

export interface LabServer {
  /** "http://127.0.0.1:41233/" */
  readonly address: string;
  /** Only this machine can ask. */
  readonly isPrivate: boolean;
  close(): Promise<void>;
}

const usualLimits: LabServerLimits = { headers: 10_000, silence: 30_000, connections: 256 };
const mostHeaderBytes = 8192;

export async function openLabServer(options: LabServerOptions): Promise<LabServer> {
  const { folder, host = "127.0.0.1", port = 0 } = options;
  const runs = options.runs === undefined ? undefined : await runsIn(options.runs);
  const site = await readSite(folder);
  const server = limitedServer({ ...usualLimits, ...options.limits });
  await listen(server, host, port);
  const bound = server.address() as AddressInfo;
  const served = { site, runs, hosts: ownHosts(bound) };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    void respond(request, response, served);
  };
  server.on("request", answer);
  // Whoever asks whether to send a body hears no.
  server.on("checkContinue", answer);
  return {
    address: addressOf(bound),
    isPrivate: isLoopback(bound.address),
    close: () => close(server),
  };
}

async function runsIn(folder: string): Promise<RunsApi> {
  const root = await requireRunsFolder(folder);
  return new RunsApi(root, basename(root));
}

function limitedServer({ headers, silence, connections }: LabServerLimits): Server {
  const server = createServer({
    maxHeaderSize: mostHeaderBytes,
    headersTimeout: headers,
    requestTimeout: headers,
    keepAliveTimeout: Math.min(5000, silence),
    connectionsCheckingInterval: Math.min(1000, headers),
  });
  server.maxHeadersCount = 64;
  server.maxConnections = connections;
  // Also ends those who ask for much and then do not read it.
  server.timeout = silence;
  return server;
}

interface Served {
  readonly site: Site;
  readonly runs: RunsApi | undefined;
  readonly hosts: ReturnType<typeof ownHosts>;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  served: Served,
): Promise<void> {
  try {
    const refusal = refusalOf(request, served.hosts);
    await send(request, response, refusal ?? (await answerFor(request, served)));
  } catch {
    // Nothing of the machine is told to whoever asked.
    if (response.headersSent) response.destroy();
    else await send(request, response, sentence(500, "The server could not answer."));
  }
}

/** The path is looked up as it was sent: it is neither decoded nor made a path of files. */
async function answerFor(request: IncomingMessage, { site, runs }: Served): Promise<Answer> {
  const [path, query = ""] = (request.url ?? "").split("?", 2);
  const file = site.get(path);
  if (file) return answerFile(file, request);
  const answer = runs ? await runs.answer(path, query) : withoutRuns(path);
  return answer ?? sentence(404, "There is nothing at that address.");
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw listenError(error, host, port);
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such name",
  EAI_AGAIN: "there is no such name",
};

function listenError(error: unknown, host: string, port: number): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (!Object.hasOwn(reasons, code)) return error;
  const where = port === 0 ? host : `port ${port} of ${host}`;
  return new GaussianizeError("network-failed", `Cannot listen on ${where}: ${reasons[code]}.`, {
    cause: error,
  });
}

/** Whether that is why {@link openLabServer} failed. */
export function isPortTaken(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return (cause as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}

/** By which a browser on this machine finds the server. */
function addressOf({ address, family, port }: AddressInfo): string {
  const isEverywhere = address === "::" || address === "0.0.0.0";
  const name = isEverywhere ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${port}/`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
