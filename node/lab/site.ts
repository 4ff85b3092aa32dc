/**
 * The files of the lab's page, in memory: no request can reach other files, and a build that
 * replaces the files meanwhile does not mix old with new.
 */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { GaussianizeError } from "../../src/errors.js";
import { codeOf, failTo, fileError } from "../files.js";
import type { Answer } from "./answer.js";

/** Path of a request, such as "/assets/index-Da8UISks.js" → its file. */
export type Site = ReadonlyMap<string, SiteFile>;

type Encoding = "br" | "gzip";

export interface SiteFile {
  readonly type: string;
  readonly cache: string;
  readonly content: Uint8Array;
  readonly hash: string;
  /** Compressed versions, made when first requested. */
  readonly compressed: Map<Encoding, Promise<Uint8Array>>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".safetensors": "application/octet-stream",
};
const compressible = new Set([".html", ".js", ".css", ".json", ".txt", ".svg", ".wasm"]);

/** Much more than the page needs: a wrong folder must not fill the memory. */
const mostBytes = 2 ** 28;

/** Reads the page. Skips links, which may lead anywhere. */
export async function readSite(folder: string): Promise<Site> {
  const site = new Map<string, SiteFile>();
  let bytes = 0;
  const names = (await filesIn(folder)).map((path) => relative(folder, path).replaceAll(sep, "/"));
  const originals = await originalsOf(folder);
  for (const name of new Set([...names, ...originals.keys()])) {
    const path = originals.get(name) ?? join(folder, name);
    const content = await readFile(path).catch(failTo("read", path));
    bytes += content.length;
    if (bytes > mostBytes)
      throw new GaussianizeError("unsupported-file", `${folder} is too large for a page.`);
    const file = fileOf(name, content);
    site.set(`/${name}`, file);
    if (name === "index.html") site.set("/", file);
  }
  if (site.has("/")) return site;
  throw new GaussianizeError(
    "cannot-read",
    `The page of the lab is not in ${folder}. In a checkout of gaussianize, run "npm run build".`,
  );
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const found = entries.map(async (entry) => {
      const path = join(folder, entry.name);
      // Links are neither files nor folders here.
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() ? [path] : [];
    });
    return (await Promise.all(found)).flat();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return [];
    throw fileError("read", folder, error);
  }
}

function fileOf(name: string, content: Uint8Array): SiteFile {
  const ending = extname(name);
  return {
    type: contentTypes[ending] ?? "application/octet-stream",
    // Names of assets contain a hash of their content, so caches never go stale.
    cache: name.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    content,
    hash: createHash("sha256").update(content).digest("base64url").slice(0, 22),
    compressed: new Map(),
  };
}

/** Returns the file in an encoding that the browser accepts, or 304 if it has the file. */
export async function answerFile(file: SiteFile, request: IncomingMessage): Promise<Answer> {
  const encoding = isCompressible(file) ? encodingFor(request) : undefined;
  const etag = `"${file.hash}${encoding === undefined ? "" : `-${encoding}`}"`;
  const headers = {
    "Content-Type": file.type,
    "Cache-Control": file.cache,
    ETag: etag,
    Vary: "Accept-Encoding",
  };
  if (isKnown(request, etag)) return { status: 304, headers, body: new Uint8Array() };
  if (encoding === undefined) return { status: 200, headers, body: file.content };
  const body = await compressedTo(file, encoding);
  return { status: 200, headers: { ...headers, "Content-Encoding": encoding }, body };
}

function isCompressible({ type, content }: SiteFile): boolean {
  // Compression does not pay for small files.
  if (content.length < 512) return false;
  return [...compressible].some((ending) => contentTypes[ending] === type);
}

/** Returns the best encoding that the browser accepts; "br;q=0" rejects one. */
function encodingFor({ headers }: IncomingMessage): Encoding | undefined {
  const accepted = new Set<string>();
  for (const part of (headers["accept-encoding"] ?? "").split(",")) {
    const [name, quality = ""] = part.split(";").map((text) => text.trim().toLowerCase());
    if (!/^q=0(\.0*)?$/.test(quality)) accepted.add(name);
  }
  return (["br", "gzip"] as const).find((encoding) => accepted.has(encoding));
}

function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = (headers["if-none-match"] ?? "").split(",").map((text) => text.trim());
  return known.some((text) => text === "*" || text.replace(/^W\//, "") === etag);
}

function compressedTo(file: SiteFile, encoding: Encoding): Promise<Uint8Array> {
  const made = file.compressed.get(encoding) ?? compress[encoding](file.content);
  file.compressed.set(encoding, made);
  return made;
}

const compress: Readonly<Record<Encoding, (content: Uint8Array) => Promise<Uint8Array>>> = {
  // Quality 11 takes a second for a script that 9 compresses almost as well in 50 ms.
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content) => promisify(gzip)(content, { level: 9 }),
};

/**
 * Returns the original of each file that the page shares with the rest of the package (photographs
 * and model files): name below the folder of the page → path. dist/lab has copies for static hosts,
 * which `copies.json` lists. The npm package omits the copies.
 */
async function originalsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(folder, "copies.json"), "utf8").catch(() => "{}");
  const copies = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(copies.map(([name, original]) => [name, find(original)]));
}

/** `original` is "./priors/gdn-25.safetensors", or a file of another package as modules name it. */
function find(original: string): string {
  const ours = createRequire(import.meta.url).resolve("gaussianize/package.json");
  try {
    return createRequire(ours).resolve(original);
  } catch (error) {
    throw new GaussianizeError(
      "cannot-read",
      `Cannot find ${original}, which the lab shows. Install gaussianize again.`,
      { cause: error },
    );
  }
}
