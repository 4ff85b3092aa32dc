/** Why an address cannot be fetched, in words for whoever wants to mend it. */
import type { IncomingMessage } from "node:http";
import { GaussianizeError } from "../src/errors.js";

/** What another attempt may mend: cut connections, busy servers. */
export class Interruption extends GaussianizeError {
  constructor(
    address: string,
    reason: string,
    /** What the server asks to wait before the next attempt. */
    readonly waitInMilliseconds = 0,
  ) {
    super("network-failed", cannotFetch(address, reason));
  }
}

export function cannotFetch(address: string, reason: string): string {
  return `Cannot fetch ${address}: ${reason}.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host, or no network",
  EAI_AGAIN: "the host's name cannot be looked up now",
  ECONNREFUSED: "the host refuses the connection",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "there is no way to the host's network",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "the host does not answer",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Says what happened to a connection; errors that are sentences already stay as they are. */
export function networkError(address: string, error: unknown): GaussianizeError {
  if (error instanceof GaussianizeError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== undefined && Object.hasOwn(reasons, code)) {
    return new Interruption(address, reasons[code]);
  }
  return new Interruption(address, `the network reports ${code ?? message}`);
}

/** Timeouts of proxies and full servers pass; what is missing or forbidden stays so. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);
const longestWaitInSeconds = 60;

export function httpError(address: string, response: IncomingMessage): Error {
  const { statusCode = 0, statusMessage = "", headers } = response;
  const name = statusMessage === "" ? "" : ` (${statusMessage})`;
  const reason = `the server answers ${statusCode}${name}`;
  if (!passing.has(statusCode))
    return new GaussianizeError("network-failed", cannotFetch(address, reason));
  // Seconds; the other form, a date, needs two clocks that agree.
  const asked = Number(headers["retry-after"] ?? 0);
  const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestWaitInSeconds) : 0;
  return new Interruption(address, reason, 1000 * seconds);
}
