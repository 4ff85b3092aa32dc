/**
 * A proxy between a browser and the server of a page, for drivers that do not report the console.
 * It adds a script to every page that collects errors, except those of workers.
 */
import { once } from "node:events";
import { type IncomingMessage, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { EnginePage } from "./engine.js";

const scriptPath = "/keep-complaints.js";

const script = `
  globalThis.complaints = [];
  const keep = (complaint) => globalThis.complaints.push(String(complaint));
  addEventListener("unhandledrejection", ({ reason }) => keep(reason));
  // Captured, because files that cannot be loaded fire events at their elements only.
  addEventListener("error", (e) => keep(e.message ?? "Cannot load " + (e.target.src ?? e.target.href)), true);
  const { error } = console;
  console.error = (...words) => {
    keep(words.join(" "));
    error.apply(console, words);
  };`;

export async function complaintsOf(page: Pick<EnginePage, "evaluate">): Promise<string[]> {
  return page.evaluate<string[]>("return globalThis.complaints;");
}

export interface ComplaintProxy {
  /** Address of the page at the proxy. */
  readonly address: string;
  close(): Promise<void>;
}

export async function openComplaintProxy(address: string): Promise<ComplaintProxy> {
  const target = new URL(address);
  const server = createServer((asked, response) => {
    if (asked.url === scriptPath) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(script);
      return;
    }
    const headers = { ...asked.headers, host: target.host, "accept-encoding": "identity" };
    const url = new URL(asked.url ?? "/", target);
    const passed = request(url, { method: asked.method ?? "GET", headers }, (answer) => {
      void withScript(answer).then((bytes) => {
        response.writeHead(answer.statusCode ?? 500, {
          ...answer.headers,
          "content-length": bytes.length,
        });
        response.end(bytes);
      });
    });
    asked.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${target.pathname}${target.search}${target.hash}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Returns the body of an answer, with the script before all others if it is a page. */
async function withScript(answer: IncomingMessage): Promise<Buffer> {
  const bytes = Buffer.concat(await answer.toArray());
  if (!answer.headers["content-type"]?.startsWith("text/html")) return bytes;
  const tag = `<script src="${scriptPath}"></script>`;
  const page = bytes.toString("utf8");
  const place = page.search(/<(title|script|head)\b/i);
  return Buffer.from(page.slice(0, place) + tag + page.slice(place));
}
