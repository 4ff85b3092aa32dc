/** Finds a real Chromium and launches it. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Beside the packages, wherever this file was compiled to. */
const cache = join(
  dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")),
  "../.cache/gaussianize",
);

/** A browser, or the reason why there is none. */
export async function launchChromium(): Promise<Browser | string> {
  try {
    return await chromium.launch({
      executablePath: await findChromium(),
      args: ["--no-sandbox", "--disable-gpu", "--no-zygote"],
      // Tests shall see what floods of messages do for users.
      ignoreDefaultArgs: ["--disable-ipc-flooding-protection"],
      timeout: 20_000,
    });
  } catch (error) {
    return (
      `No Chromium could be launched: ${(error as Error).message}\n` +
      "Install one, or name its path in the environment variable GAUSSIANIZE_CHROMIUM."
    );
  }
}

async function findChromium(): Promise<string> {
  const named = process.env.GAUSSIANIZE_CHROMIUM;
  if (named !== undefined && named !== "") {
    if (existsSync(named)) return named;
    throw new Error(`GAUSSIANIZE_CHROMIUM names "${named}", which does not exist.`);
  }
  return installed.find((path) => existsSync(path)) ?? (await unpackChromium());
}

/**
 * The Chromium inside the package @sparticuz/chromium, unpacked once (200 MB, two seconds). The package unpacks into
 * the folder for temporary files, where a half-written file of another process looks finished; so it is given a
 * folder of its own, which gets its name when it is complete.
 */
async function unpackChromium(): Promise<string> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`There is none for ${process.platform} ${process.arch} among the packages.`);
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
      // Another process was quicker.
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
