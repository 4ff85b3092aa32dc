/** Why an address cannot be fetched, in words for whoever wants to mend it. */
import { GaussianizeError } from "../src/errors.js";

/** What another attempt may mend: cut connections, busy servers. */
export class Interruption extends GaussianizeError {
  constructor(
    address: string,
    reason: string,
    /** What the server asks to wait before the next attempt. */
    readonly waitInMilliseconds = 0,
  ) {
    super(cannotFetch(address, reason));
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
  UND_ERR_SOCKET: "the connection was cut",
  ETIMEDOUT: "the host does not answer",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
  UND_ERR_HEADERS_TIMEOUT: "the host does not answer",
  UND_ERR_BODY_TIMEOUT: "the host does not answer",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** `fetch` says only "fetch failed" or "terminated"; what happened is the cause of that. */
export function networkError(address: string, error: unknown): Interruption {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code !== undefined && Object.hasOwn(reasons, code)) {
    return new Interruption(address, reasons[code]);
  }
  return new Interruption(address, `the network reports ${code ?? message}`);
}

/** Timeouts of proxies and full servers pass; what is missing or forbidden stays so. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);
const longestWaitInSeconds = 60;

export function httpError(address: string, { status, statusText, headers }: Response): Error {
  const reason = `the server answers ${status}${statusText === "" ? "" : ` (${statusText})`}`;
  if (!passing.has(status)) return new GaussianizeError(cannotFetch(address, reason));
  // Seconds; the other form, a date, needs two clocks that agree.
  const asked = Number(headers.get("retry-after") ?? 0);
  const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestWaitInSeconds) : 0;
  return new Interruption(address, reason, 1000 * seconds);
}
