/** What the lab's server will not even look at. */
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, sentence } from "./answer.js";

/** Addresses of the lab are short. */
const longestTarget = 2048;

/**
 * Names by which a page on this machine may ask. Any name can be made to lead to 127.0.0.1 by whoever owns it (DNS
 * rebinding): pages from there must not read what is served here.
 */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** What requests to a server on loopback may call it; undefined of any other server. */
export function ownHosts({ address, family, port }: AddressInfo): readonly string[] | undefined {
  if (!isLoopback(address)) return undefined;
  const bound = family === "IPv6" ? `[${address}]` : address;
  const names = [...loopbackNames, bound];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/** Undefined where nothing speaks against an answer. */
export function refusalOf(
  request: IncomingMessage,
  hosts: readonly string[] | undefined,
): Answer | undefined {
  if (hasBody(request)) {
    return sentence(413, "Requests have no body here.", { Connection: "close" });
  }
  if (hosts && !isOneOf(hosts, request)) {
    return sentence(421, "The lab answers to localhost and its own address, with its port.");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return sentence(405, "The lab is for reading: GET and HEAD.", { Allow: "GET, HEAD" });
  }
  const target = request.url ?? "";
  if (target.length > longestTarget) return sentence(414, "That address is too long.");
  // Neither "http://elsewhere/" as proxies are asked, nor "*".
  if (!target.startsWith("/")) return sentence(400, "An address begins with a slash.");
  return undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

function isOneOf(hosts: readonly string[], { headersDistinct }: IncomingMessage): boolean {
  const asked = headersDistinct.host ?? [];
  return asked.length === 1 && hosts.includes(asked[0].toLowerCase());
}

/** 127.0.0.0/8 and ::1, also in the form of IPv4 in IPv6. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
