/** Bundles a page with vite, as an application would, and serves it on the loopback interface. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Path below the root → contents. */
export type Site = ReadonlyMap<string, string | Uint8Array>;

/** Takes the library from dist/, as dependent packages do. */
const dist = (name: string): string =>
  fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

const aliases = [
  { find: /^gaussianize$/, replacement: dist("src/index.js") },
  { find: /^gaussianize\/browser$/, replacement: dist("browser/index.js") },
];

/** `isInstalled` takes the library from the packages beside the page. */
export async function bundlePage(folder: URL, isInstalled = false): Promise<Site> {
  const root = fileURLToPath(folder);
  const output = await build({
    root,
    base: "./",
    configFile: false,
    logLevel: "error",
    resolve: { alias: isInstalled ? [] : aliases },
    worker: { format: "es" },
    build: { write: false, target: "es2022", modulePreload: { polyfill: false } },
  });
  const bundles = Array.isArray(output) ? output : [output];
  const files = bundles.flatMap((bundle) => ("output" in bundle ? bundle.output : []));
  return new Map(
    files.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]),
  );
}

export interface SiteServer {
  /** Ends with a slash. */
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the same site under / and, without the files that `missing` names, under /broken/. */
export async function serveSite(site: Site, missing = /^$/): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const broken = path.startsWith("/broken/");
    const name = path.slice(broken ? "/broken/".length : 1) || "index.html";
    const contents = broken && missing.test(name) ? undefined : site.get(name);
    const type = name.endsWith(".html") ? "text/html" : "text/javascript";
    response.writeHead(contents === undefined ? 404 : 200, { "content-type": type });
    response.end(contents ?? "There is no such file.");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
