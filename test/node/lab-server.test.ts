import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LabServer, openLabServer } from "../../node/lab-server.js";
import { rawGet, rawRequest, statusOf } from "./raw-request.js";
import { temporaryFolder } from "../support/folders.js";
import { sentenceOf } from "../support/expect-error.js";

const secret = "nobody shall read this";
const script = `export const long = "${"abc".repeat(500)}";\n`;
let folder: string;
let server: LabServer;
let port: number;
/** A server with short time limits. */
let impatientServer: LabServer;
let impatientPort: number;

beforeAll(async () => {
  folder = await temporaryFolder("lab");
  const files: readonly (readonly [string, string])[] = [
    ["secret.txt", secret],
    ["site/index.html", "<!doctype html><title>lab</title>"],
    ["site/assets/index-Da8UISks.js", script],
    ["site/assets/model-B.safetensors", "bytes"],
    [
      "runs/first/config.json",
      JSON.stringify({ format: "gaussianize-run", images: ["/a.png"], steps: 3 }),
    ],
    ["runs/first/metrics.jsonl", ""],
    ["runs/first/notes.txt", secret],
  ];
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  // Links out of both folders, to a file and to a folder.
  await symlink(join(folder, "secret.txt"), join(folder, "site/assets/link.js"));
  await symlink(folder, join(folder, "site/up"));
  await mkdir(join(folder, "elsewhere/run"), { recursive: true });
  await writeFile(
    join(folder, "elsewhere/run/config.json"),
    JSON.stringify({ format: "gaussianize-run", images: [], steps: 1 }),
  );
  await symlink(join(folder, "elsewhere"), join(folder, "runs/linked"));
  await symlink(join(folder, "secret.txt"), join(folder, "runs/first/model.safetensors"));
  const served = { folder: join(folder, "site"), runs: join(folder, "runs") };
  server = await openLabServer(served);
  port = Number(new URL(server.address).port);
  impatientServer = await openLabServer({ ...served, limits: { headers: 200, silence: 400 } });
  impatientPort = Number(new URL(impatientServer.address).port);
});
afterAll(() => Promise.all([server.close(), impatientServer.close()]));

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(new URL(path, server.address), init);

describe("the server sends", () => {
  test("the page, with and without its name", async () => {
    for (const path of ["", "index.html", "?a=b"]) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      expect(await response.text()).toContain("<title>lab</title>");
    }
  });

  test.each(["br", "gzip"])("scripts, compressed by %s and cached for a year", async (encoding) => {
    const headers = { "accept-encoding": encoding };
    const response = await get("assets/index-Da8UISks.js", { headers });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(Number(response.headers.get("content-length"))).toBeLessThan(script.length / 4);
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(await response.text()).toBe(script);
  });

  test("uncompressed scripts if the browser rejects compression", async () => {
    const headers = { "accept-encoding": "br;q=0, gzip;q=0.0" };
    const response = await get("assets/index-Da8UISks.js", { headers });
    expect(response.headers.get("content-encoding")).toBeNull();
  });

  test("models as bytes", async () => {
    const response = await get("assets/model-B.safetensors");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
  });

  test("304 to a browser that has the file", async () => {
    const etag = (await get("")).headers.get("etag") ?? "";
    const answer = await rawGet(port, "/", `If-None-Match: ${etag}\r\n`);
    expect(statusOf(answer)).toBe(304);
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  test("the same headers and no body for HEAD", async () => {
    const answers = [await rawGet(port, "/"), await rawGet(port, "/", "", "HEAD")];
    const [whole, head] = answers.map((answer) => answer.replace(/^Date: .*\r\n/m, ""));
    expect(head).toMatch(/\r\n\r\n$/);
    expect(whole.startsWith(head)).toBe(true);
  });

  test("the whole file for a range", async () => {
    const response = await get("", { headers: { range: "bytes=0-3" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("accept-ranges")).toBe("none");
  });

  test.each(["", "nothing", "api/runs"])("strict headers on /%s", async (path) => {
    const { headers } = await get(path);
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "worker-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-powered-by")).toBeNull();
  });
});

const climbs = [
  "../secret.txt",
  "%2e%2e/secret.txt",
  "%2e%2e%2fsecret.txt",
  "..%2fsecret.txt",
  "..%5csecret.txt",
  "..\\secret.txt",
  "%252e%252e%252fsecret.txt",
  "%c0%ae%c0%ae/secret.txt",
  "%c0%ae%c0%ae%c0%afsecret.txt",
  "%u002e%u002e/secret.txt",
  "....//secret.txt",
  "./../secret.txt",
  "assets/../../secret.txt",
  "assets/..;/..;/secret.txt",
  "index.html/../../secret.txt",
  "index.html%00.js",
  "%00",
  "/secret.txt",
  "//secret.txt",
  "up/secret.txt",
  "assets/link.js",
  "assets/",
  "assets",
  "api/runs/..%2f/metrics",
  "api/runs/%2e%2e/model",
  "api/runs/../secret.txt",
  "api/runs/first%2f..%2f..%2fsecret.txt/model",
  "api/runs/first/../model",
  "api/runs/first/notes.txt",
  "api/runs/first%00/model",
  "api/runs/first/model",
  "api/runs/linked/metrics",
  "api/runs/linked%2Frun/metrics",
  "api/runs/__proto__/metrics",
  "api/runs//metrics",
  "api/runs/%E0%A4%A/metrics",
  "\u00ff\u00fe/secret.txt",
];

describe("the server does not reveal other files", () => {
  test.each(climbs)("/%s: 404 or 400, without the secret", async (path) => {
    const answer = await rawGet(port, `/${path}`);
    expect([400, 404]).toContain(statusOf(answer));
    expect(answer).not.toContain(secret);
    expect(answer).not.toContain(folder);
  });

  test.each([
    "http://127.0.0.1/secret.txt",
    "http://elsewhere.example/",
    "*",
    "file:///etc/passwd",
    "secret.txt",
  ])("the target %s: 400", async (target) => {
    expect(statusOf(await rawGet(port, target))).toBe(400);
  });

  test("links out of the folder of runs are not listed", async () => {
    const { runs } = (await (await get("api/runs")).json()) as {
      runs: { name: string; model: unknown }[];
    };
    expect(runs.map(({ name, model }) => [name, model])).toEqual([["first", null]]);
  });

  test("paths of images are not listed", async () => {
    expect(await (await get("api/runs")).text()).not.toContain("/a.png");
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])(
    "%s is rejected",
    async (method) => {
      const answer = await rawGet(port, "/", "", method);
      expect(statusOf(answer)).toBe(405);
      expect(answer).toContain("Allow: GET, HEAD");
    },
  );

  test.each(["BREW", "get", "CONNECT"])("%s is not a method", async (method) => {
    expect([400, 0]).toContain(statusOf(await rawGet(port, "/", "", method)));
  });

  test.each([
    "evil.example",
    "evil.example:PORT",
    "localhost",
    "localhost:1",
    "127.0.0.1.evil.example:PORT",
    "127.0.0.1:PORT@evil.example",
    "user@127.0.0.1:PORT",
    "0.0.0.0:PORT",
    "",
  ])("the host %j is rejected (DNS rebinding)", async (host) => {
    const answer = await rawGet(port, "/", `Host: ${host.replace("PORT", String(port))}\r\n`);
    expect([400, 421]).toContain(statusOf(answer));
    expect(answer).not.toContain("<title>");
  });

  test("two Host headers or none are rejected", async () => {
    const own = `Host: localhost:${port}\r\n`;
    expect([400, 421]).toContain(statusOf(await rawGet(port, "/", `${own}Host: evil.example\r\n`)));
    expect(statusOf(await rawRequest(port, "GET / HTTP/1.1\r\n\r\n"))).toBe(400);
    expect(statusOf(await rawRequest(port, "GET / HTTP/1.0\r\n\r\n"))).toBe(421);
  });

  test.each(["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])(
    "the host %s is accepted",
    async (host) => {
      expect(statusOf(await rawGet(port, "/", `Host: ${host}:${port}\r\n`))).toBe(200);
    },
  );
});

test.each(["127.0.0.1", "127.0.0.2", "::1"])(
  "a server on %s answers at its address",
  async (host) => {
    const own = await openLabServer({ folder: join(folder, "site"), host });
    try {
      expect((await fetch(own.address)).status).toBe(200);
      expect(own.isPrivate).toBe(true);
    } finally {
      await own.close();
    }
  },
);

describe("bad clients", () => {
  test("rejects a target that is too long", async () => {
    expect(statusOf(await rawGet(port, `/${"a".repeat(3000)}`))).toBe(414);
  });

  test.each([
    ["one", `X: ${"a".repeat(20_000)}\r\n`],
    ["many", Array.from({ length: 2000 }, (_, k) => `X${k}: a\r\n`).join("")],
  ])("rejects %s long headers", async (_, headers) => {
    expect(statusOf(await rawGet(port, "/", headers))).toBe(431);
  });

  test.each([
    ["of known length", "Content-Length: 1000000\r\n", "x".repeat(10_000)],
    ["in chunks", "Transfer-Encoding: chunked\r\n", "4\r\nabcd\r\n"],
    ["after asking", "Content-Length: 5\r\nExpect: 100-continue\r\n", ""],
  ])("a body %s ends the connection", async (_, headers, body) => {
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}\r\n`;
    const answer = await rawRequest(port, head + body);
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain("Connection: close");
  });

  test("rejects contradictory lengths (request smuggling)", async () => {
    const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect([400, 413]).toContain(
      statusOf(await rawRequest(port, `${head}0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`)),
    );
  });

  test.each(["", "GET / HTTP/1.1\r\nHost: a", "GET /"])(
    "disconnects a client that sends %j and no more",
    async (bytes) => {
      expect([408, 0]).toContain(statusOf(await rawRequest(impatientPort, bytes)));
    },
  );

  test("disconnects a client that sends bytes too slowly", async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(impatientPort, "127.0.0.1");
      const timer = setInterval(() => socket.write("a"), 50);
      socket.write("GET / HTTP/1.1\r\nX: ");
      socket.on("error", () => undefined);
      socket.on("data", () => undefined);
      socket.on("close", () => {
        clearInterval(timer);
        resolve();
      });
    });
  });

  test("disconnects a client that does not read its answer", async () => {
    const run = join(folder, "runs/large");
    await mkdir(run);
    await writeFile(
      join(run, "config.json"),
      await readFile(join(folder, "runs/first/config.json")),
    );
    // More than the buffers of both sides hold.
    const size = 2 ** 25;
    await writeFile(join(run, "model.safetensors"), Buffer.alloc(size));
    // A listing may be half a second old.
    await expect.poll(async () => (await get("api/runs/large/model")).status).toBe(200);
    const limits = { headers: 200, silence: 400, connections: 1 };
    const served = { folder: join(folder, "site"), runs: join(folder, "runs") };
    const lonelyServer = await openLabServer({ ...served, limits });
    const lonelyPort = Number(new URL(lonelyServer.address).port);
    // With one connection at most, it answers others only after closing this one.
    const isSentAway = () =>
      expect
        .poll(async () => statusOf(await rawGet(lonelyPort, "/")), { timeout: 20_000 })
        .toBe(200);
    const received = await new Promise<number>((resolve) => {
      const socket = connect(lonelyPort, "127.0.0.1");
      let bytes = 0;
      const host = `localhost:${lonelyPort}`;
      socket.write(`GET /api/runs/large/model HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      socket.on("error", () => undefined);
      socket.on("data", (part) => {
        if (bytes === 0) {
          socket.pause();
          void isSentAway().finally(() => socket.resume());
        }
        bytes += part.length;
      });
      socket.on("close", () => {
        resolve(bytes);
      });
    });
    await lonelyServer.close();
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(size);
  });

  test("survives random bytes", async () => {
    for (let k = 0; k < 20; k++) {
      const noise = Uint8Array.from(
        { length: 200 },
        (_, i) => (i * i * 31 + k * 97 + 13 * i) % 256,
      );
      expect([400, 0]).toContain(statusOf(await rawRequest(impatientPort, noise)));
    }
    expect((await get("")).status).toBe(200);
  });

  test.each(["-1", "1e99", "abc", "0x10", "NaN"])("answers metrics from %s", async (from) => {
    expect([200, 400]).toContain((await get(`api/runs/first/metrics?from=${from}`)).status);
  });
});

describe("a server that cannot start reports", () => {
  const site = (): string => join(folder, "site");

  test("a missing page", async () => {
    const empty = join(folder, "elsewhere");
    for (const missing of [empty, join(folder, "nowhere")]) {
      expect(await sentenceOf(openLabServer({ folder: missing }))).toContain('"npm run build"');
    }
  });

  test("a port in use", async () => {
    expect(await sentenceOf(openLabServer({ folder: site(), port }))).toBe(
      `Cannot listen on port ${port} of 127.0.0.1: another program uses it.`,
    );
  });

  test("a missing folder of runs, or a file in its place", async () => {
    const runs = join(folder, "nowhere");
    expect(await sentenceOf(openLabServer({ folder: site(), runs }))).toBe(
      `There is no folder ${runs}.`,
    );
    const file = join(folder, "secret.txt");
    expect(await sentenceOf(openLabServer({ folder: site(), runs: file }))).toContain("is a file");
  });
});
