import { mkdir, mkdtemp, open, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { dataFolder, imagesOfSet } from "../../node/data-folder.js";
import { findImages } from "../../node/find-images.js";
import { type DataFile, bytesOf, dataSet, dataSets, filesOfSet } from "../../node/data-sets.js";

const root = await temporaryFolder("data-folder");
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
});

/** Creates files of the right size that take no space: each is one hole. */
async function pretend(files: readonly DataFile[]): Promise<void> {
  for (const { path, bytes } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    const file = await open(join(folder, path), "w");
    await file.truncate(bytes);
    await file.close();
  }
}

describe("dataFolder", () => {
  const everything = {
    GAUSSIANIZE_DATA: "/variable",
    XDG_CACHE_HOME: "/xdg",
    HOME: "/home/ada",
    LOCALAPPDATA: "/local",
  };
  const without = { ...everything, GAUSSIANIZE_DATA: "" };

  test("prefers --data, then GAUSSIANIZE_DATA, then the cache", () => {
    expect(dataFolder({ data: "here" }, everything)).toBe("here");
    expect(dataFolder({}, everything)).toBe("/variable");
    expect(dataFolder({}, without, "linux")).toBe(join("/xdg", "gaussianize"));
  });

  test.each([
    ["linux", without, join("/xdg", "gaussianize")],
    ["linux", { HOME: "/home/ada" }, join("/home/ada", ".cache", "gaussianize")],
    ["linux", { HOME: "/a", XDG_CACHE_HOME: "relative" }, join("/a", ".cache", "gaussianize")],
    ["linux", {}, join(homedir(), ".cache", "gaussianize")],
    ["darwin", without, join("/home/ada", "Library", "Caches", "gaussianize")],
    ["win32", without, join("/local", "gaussianize")],
    ["win32", { USERPROFILE: "/ada" }, join("/ada", "AppData", "Local", "gaussianize")],
  ] as const)("on %s with %j is %s", (platform, environment, path) => {
    expect(dataFolder({}, environment, platform)).toBe(path);
  });
});

describe("imagesOfSet", () => {
  test("returns the files of the set, sorted, and ignores others", async () => {
    const files = filesOfSet(dataSet("kodak"));
    await pretend([...files].reverse());
    await writeFile(join(folder, "kodak", "holiday.png"), "");
    const images = await imagesOfSet("kodak", folder);
    expect(images).toHaveLength(24);
    expect(images[0]).toBe(join(folder, "kodak", "kodim01.png"));
    expect(images).toEqual([...images].sort());
  });

  test("returns the files of a part", async () => {
    const all = filesOfSet(dataSet("bsds300"));
    await pretend(all.filter(({ path }) => path.startsWith("bsds300/test/")));
    expect(await imagesOfSet("bsds300/test", folder)).toHaveLength(100);
    // The commands that a report prints name folders and must read the same images in this order.
    expect(await imagesOfSet("bsds300/test", folder)).toEqual(
      await findImages([join(folder, "bsds300", "test")]),
    );
    await expect(imagesOfSet("bsds300", folder)).rejects.toThrow(
      `bsds300 has only 100 of its 300 files in ${folder}: gaussianize data fetch bsds300, or --data.`,
    );
    await expect(imagesOfSet("bsds300/train", folder)).rejects.toThrow(
      `bsds300/train is not in ${folder}: gaussianize data fetch bsds300, or --data.`,
    );
  });

  test("names a remedy if the set is missing, even if the folder is a file", async () => {
    const sentence = `: gaussianize data fetch kodak, or --data.`;
    await expect(imagesOfSet("kodak", folder)).rejects.toThrow(
      `kodak is not in ${folder}${sentence}`,
    );
    await writeFile(join(folder, "file"), "");
    const file = join(folder, "file");
    await expect(imagesOfSet("kodak", file)).rejects.toThrow(`kodak is not in ${file}${sentence}`);
  });

  test("treats a file of another size as missing", async () => {
    const [first, ...others] = filesOfSet(dataSet("vanhateren"));
    await pretend([{ ...first, bytes: 1 }, ...others]);
    await expect(imagesOfSet("vanhateren", folder)).rejects.toThrow(
      `vanhateren has only 31 of its 32 files in ${folder}`,
    );
  });

  test.each(["kodack", "kodak/train", "bsds300/", "", "bsds300/train/1", "constructor"])(
    "rejects %j as unknown",
    async (name) => {
      const failure = imagesOfSet(name, folder);
      await expect(failure).rejects.toThrow("kodak, bsds300, bsd68, vanhateren.");
      await expect(failure).rejects.toMatchObject({ exitCode: 2 });
    },
  );
});

describe("the known sets", () => {
  test.each([
    ["kodak", 24, 15_394_305],
    ["bsds300", 300, 22_247_231],
    ["bsd68", 68, 6_450_605],
    ["vanhateren", 32, 100_663_296],
  ])("%s has %i files with %i bytes in total", (name, count, bytes) => {
    const files = filesOfSet(dataSet(name));
    expect([files.length, bytesOf(files)]).toEqual([count, bytes]);
    expect(new Set(files.map(({ path }) => path)).size).toBe(count);
    for (const { sha256 } of files) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("every set has either an address or instructions", () => {
    for (const { address, byHand } of dataSets)
      expect([address, byHand].filter(Boolean)).toHaveLength(1);
  });
});
