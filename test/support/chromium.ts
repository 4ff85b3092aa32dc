/** Finds a real Chromium and launches it. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, type BrowserServer, chromium } from "playwright-core";

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Beside the packages, wherever this file was compiled to. */
const cache = join(
  dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")),
  "../.cache/gaussianize",
);

const options = {
  args: ["--no-sandbox", "--disable-gpu"],
  // Tests see what floods of messages do to users.
  ignoreDefaultArgs: ["--disable-ipc-flooding-protection"],
  timeout: 60_000,
};

/** A missing browser fails on CI, where a package provides one. */
export const chromiumIsRequired =
  Boolean(process.env.CI) && process.platform === "linux" && process.arch === "x64";

/** Launches a browser, or returns the reason why it cannot. */
export async function launchChromium(): Promise<Browser | string> {
  return attempt(async () => chromium.launch({ ...options, executablePath: await findChromium() }));
}

/** Launches a browser for several processes, or returns the reason why it cannot. */
export async function serveChromium(): Promise<BrowserServer | string> {
  return attempt(async () =>
    chromium.launchServer({ ...options, executablePath: await findChromium() }),
  );
}

/** Returns the reason why Chromium cannot run, or null; asks only for its version. */
export async function chromiumProblem(): Promise<string | null> {
  const version = await attempt(async () =>
    promisify(execFile)(await findChromium(), ["--version"], { timeout: options.timeout }),
  );
  return typeof version === "string" ? version : null;
}

async function attempt<Result>(launch: () => Promise<Result>): Promise<Result | string> {
  try {
    return await launch();
  } catch (error) {
    return (
      `No Chromium can be launched: ${(error as Error).message.trim()} ` +
      "Install one, or set GAUSSIANIZE_CHROMIUM to its path."
    );
  }
}

/**
 * GAUSSIANIZE_CHROMIUM is a path, "packaged" or "none"; default: an installed browser, then the
 * packaged one.
 */
async function findChromium(): Promise<string> {
  const named = process.env.GAUSSIANIZE_CHROMIUM ?? "";
  if (named === "none") throw new Error('GAUSSIANIZE_CHROMIUM is "none".');
  if (named === "packaged") return unpackChromium();
  if (named === "") {
    return installed.find((path) => existsSync(path)) ?? (await unpackChromium());
  }
  if (existsSync(named)) return named;
  throw new Error(`GAUSSIANIZE_CHROMIUM names "${named}", which does not exist.`);
}

/**
 * Returns the Chromium of the package @sparticuz/chromium, unpacked once (200 MB, two seconds). In
 * the shared temporary folder a file half written by another process would look finished; so it is
 * unpacked into its own folder, which is renamed when complete.
 */
async function unpackChromium(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`There is no package of it for ${process.platform} ${process.arch}.`);
  }
  const folder = join(cache, `chromium-${await packageVersion()}`);
  const executable = join(folder, "chromium");
  if (existsSync(executable)) return executable;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, "unpacking-"));
  const { TMPDIR } = process.env;
  try {
    process.env.TMPDIR = unfinished;
    const { default: packed } = await import("@sparticuz/chromium");
    const path = await packed.executablePath();
    if (basename(path) !== "chromium" || dirname(path) !== unfinished) {
      throw new Error(`Expected the package to unpack into ${unfinished} but received ${path}.`);
    }
    await rename(unfinished, folder).catch((error: unknown) => {
      // Another process has unpacked it meanwhile.
      if (!existsSync(executable)) throw error;
    });
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(unfinished, { recursive: true, force: true });
  }
  return executable;
}

async function packageVersion(): Promise<string> {
  const main = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const description = join(dirname(main), "../../package.json");
  return (JSON.parse(await readFile(description, "utf8")) as { version: string }).version;
}
