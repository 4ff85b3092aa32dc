/** The read-only server of the lab's page. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { GaussianizeError } from "../src/errors.js";
import { codeOf } from "./files.js";
import { type Answer, isLoopback, ownHosts, refusalOf, send, sentence } from "./lab/answer.js";
import { RunsApi, withoutRuns } from "./lab/runs-api.js";
import { requireRunsFolder } from "./lab/runs.js";
import { type Site, answerFile, readSite } from "./lab/site.js";

/** Limits of the server; times are in milliseconds. */
export interface LabServerLimits {
  /** Time until all headers of a request must have arrived. */
  readonly headers: number;
  /** Longest time without a byte in either direction. */
  readonly silence: number;
  /** Most simultaneous connections. */
  readonly connections: number;
}

export interface LabServerOptions {
  /** Folder of the built page: dist/lab. */
  readonly folder: string;
  /** Folder with runs of `gaussianize fit` to show. */
  readonly runs?: string | undefined;
  /** Default 127.0.0.1: only this machine can connect. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  readonly limits?: Partial<LabServerLimits>;
}

export interface LabServer {
  /** "http://127.0.0.1:41233/" */
  readonly address: string;
  /** Whether only this machine can connect. */
  readonly isPrivate: boolean;
  close(): Promise<void>;
}

const usualLimits: LabServerLimits = { headers: 10_000, silence: 30_000, connections: 256 };
const mostHeaderBytes = 8192;

export async function openLabServer(options: LabServerOptions): Promise<LabServer> {
  const { folder, host = "127.0.0.1", port = 0 } = options;
  const root = options.runs === undefined ? undefined : await requireRunsFolder(options.runs);
  const runs = root === undefined ? undefined : new RunsApi(root, basename(root));
  const site = await readSite(folder);
  const server = limitedServer({ ...usualLimits, ...options.limits });
  await listen(server, host, port);
  const bound = server.address() as AddressInfo;
  const served = { site, runs, hosts: ownHosts(bound) };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    void respond(request, response, served);
  };
  server.on("request", answer);
  // Clients that ask before sending a body are rejected.
  server.on("checkContinue", answer);
  return {
    address: addressOf(bound),
    isPrivate: isLoopback(bound.address),
    close: () => close(server),
  };
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
  // Also closes connections of clients that do not read their answers.
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
    // The answer must not reveal anything about the machine.
    if (response.headersSent) response.destroy();
    else await send(request, response, sentence(500, "The server could not answer."));
  }
}

/** Looks up the path as it was sent: it is neither decoded nor used as a path of files. */
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
  const code = codeOf(error);
  if (!Object.hasOwn(reasons, code)) return error;
  const where = port === 0 ? host : `port ${port} of ${host}`;
  return new GaussianizeError("network-failed", `Cannot listen on ${where}: ${reasons[code]}.`, {
    cause: error,
  });
}

/** Whether {@link openLabServer} failed because the port is in use. */
export function isPortTaken(error: unknown): boolean {
  return error instanceof Error && codeOf(error.cause ?? {}) === "EADDRINUSE";
}

/** Returns the URL of the server for a browser on this machine. */
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
