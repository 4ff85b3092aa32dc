import { execFile } from "node:child_process";
import { appendFile, mkdir, readFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type TarEntry, tarBytes, tarMember } from "../../../bench/tar-blocks.js";
import { openImageSet } from "../../../node/image-set.js";
import { protocols } from "../../../src/patches/image-reading.js";
import { pngBytes } from "../../support/picture-bytes.js";
import { expectError, sentenceOf } from "../../support/expect-error.js";
import { temporaryFolder, writeScenes } from "../../support/folders.js";

const folder = await temporaryFolder("image-archives");
const reading = protocols.bsds64;

const scenes = Array.from({ length: 12 }, (_, k) => join(folder, `scene${k}.png`));
await writeScenes(folder, scenes.length);

async function put(name: string, entries: readonly TarEntry[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, tarBytes(entries));
  return path;
}

/** Writes a member whose bytes after `head` are a hole in the file, and another member. */
async function putSparse(
  name: string,
  member: string,
  head: Uint8Array,
  bytes: number,
  last: TarEntry,
): Promise<string> {
  const path = join(folder, name);
  const size = bytes.toString(8).padStart(11, "0");
  await writeFile(path, tarMember({ name: member, content: head, size }));
  await truncate(path, 512 + bytes);
  await appendFile(path, tarBytes([last]));
  return path;
}

async function sceneEntries(count: number): Promise<TarEntry[]> {
  const contents = await Promise.all(scenes.slice(0, count).map((path) => readFile(path)));
  return contents.map((content, k) => ({ name: `dir/scene${k}.png`, content }));
}

describe("images in an archive", () => {
  test("have the sizes, fingerprint and pixels of separate files", async () => {
    const archive = await put("photos.tar", [
      { name: "dir/notes.txt", content: Buffer.from("text") },
      ...(await sceneEntries(12)),
      { name: "dir/._scene1.png", content: Buffer.from("of a Mac") },
      { name: "dir/scene1.json", content: Buffer.from("{}") },
    ]);
    const files = await openImageSet(scenes, reading);
    const inArchive = await openImageSet([archive], reading);
    expect(inArchive.skipped).toEqual([]);
    expect(inArchive.given).toBe(12);
    expect(inArchive.fingerprint).toBe(files.fingerprint);
    expect(inArchive.images.map(({ path }) => path)).toEqual(
      scenes.map((_, k) => `${archive}:dir/scene${k}.png`),
    );
    for (const [index, { width, height }] of files.images.entries()) {
      expect(inArchive.images[index]).toMatchObject({ width, height });
      expect(await inArchive.load(index, 2)).toEqual(await files.load(index, 2));
    }
    // Loaded at once, in two runs.
    const atOnce = await Promise.all(
      scenes.map((_, k) => inArchive.load(k, 0, 6 * Math.floor(k / 6) + 6)),
    );
    expect(atOnce).toEqual(await Promise.all(scenes.map((_, k) => files.load(k, 0))));
  });

  test("are read in runs; separate files form their own", async () => {
    const archive = await put("runs.tar", await sceneEntries(10));
    const set = await openImageSet([scenes[0], archive, scenes[1]], reading);
    expect(set.readingPlan()).toEqual({ window: 12, runs: Uint32Array.of(0, 1, 6, 11) });
    expect(set.readingPlan(4)).toEqual({ window: 4, runs: Uint32Array.of(0, 1, 4, 7, 11) });
    expect((await openImageSet(scenes, reading)).readingPlan()).toEqual({ window: 12 });
  });

  test("have a known size wherever it is stored", async () => {
    const samples = Uint8Array.from({ length: 40_000 }, (_, k) => (k * k * 31) % 251);
    const raw = { raw: { width: 200, height: 200, channels: 1 } } as const;
    const tiff = await sharp(samples, raw).tiff({ compression: "none" }).toBuffer();
    // Its directory is at the end, beyond the first read.
    const large = await sharp(Buffer.concat([samples, samples, samples]), {
      raw: { width: 200, height: 600, channels: 1 },
    })
      .tiff({ compression: "none" })
      .toBuffer();
    const exif = { IFD0: { ImageDescription: "x".repeat(60_000) } };
    const jpeg = await sharp(samples, raw).withMetadata({ exif, orientation: 6 }).jpeg().toBuffer();
    const archive = await put("sizes.tar", [
      { name: "a.tif", content: tiff },
      { name: "b.tif", content: large },
      { name: "c.jpg", content: jpeg },
      { name: "d.iml", content: new Uint8Array(2 * 1536 * 1024) },
    ]);
    const { images } = await openImageSet([archive], reading);
    expect(images.map(({ width, height }) => [width, height])).toEqual([
      [200, 200],
      [200, 600],
      [200, 200],
      [1532, 1020],
    ]);
  });

  test("may have dots in their names, unless they are hidden", async () => {
    const [{ content }] = await sceneEntries(1);
    const names = ["../x.png", "a/./x.png", "a/../../x.png", "..x.png"];
    const hidden = [".x.png", "a/.b/x.png", "a/._x.png"];
    const archive = await put(
      "dots.tar",
      [...hidden, ...names].map((name) => ({ name, content })),
    );
    const set = await openImageSet([archive], reading);
    expect(set.images.map(({ path }) => path)).toEqual(names.map((name) => `${archive}:${name}`));
    expect(await set.load(0, 0)).toBeDefined();
  });

  test("that are too large are reported and not read", async () => {
    const [good] = await sceneEntries(1);
    const archive = await putSparse("large.tar", "a.png", Buffer.alloc(0), 3 * 2 ** 30, good);
    const { images, skipped } = await openImageSet([archive], reading);
    expect(images).toHaveLength(1);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(`${archive}:a.png: .*3221225472 bytes`),
    ]);
  });

  test.each([
    ["a.png", Buffer.alloc(0), "PNG, JPEG"],
    ["a.webp", Buffer.from("RIFF\0\0\0\x30WEBPVP8L"), "64 MB"],
    ["a.tif", Buffer.from("II*\0\xf0\xff\xff\x2f", "latin1"), "it is damaged or incomplete"],
  ])("have their size read from few bytes, or not at all: %s", async (name, head, reason) => {
    const [good] = await sceneEntries(1);
    const archive = await putSparse("misnamed.tar", name, head, 2 ** 30, good);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const { skipped } = await openImageSet([archive], reading, {
      onProgress: () => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)),
    });
    expect(skipped.map((image) => image.reason)).toEqual([
      expect.stringMatching(`${archive}:${name} .*${reason}`),
    ]);
    expect(most).toBeLessThan(2 ** 28);
  });

  test("stop with the reason of the signal in the middle of an archive", async () => {
    const archive = await put("aborted.tar", await sceneEntries(12));
    const abort = new AbortController();
    let seen = 0;
    const opening = openImageSet([archive], reading, {
      signal: abort.signal,
      onProgress: (done) => {
        seen = done;
        // Not an Error, whose class would tell it from damage of the archive.
        if (done === 3) abort.abort("enough");
      },
    });
    expect(await sentenceOf(opening)).toBe("Aborted: enough.");
    expect(seen).toBe(3);
  });

  test("that cannot be used are reported and skipped", async () => {
    const [good] = await sceneEntries(1);
    const small = pngBytes({
      width: 4,
      height: 4,
      depth: 8,
      channels: 1,
      samples: new Uint8Array(16),
    });
    const archive = await put("troubles.tar", [
      { name: "empty.png", content: new Uint8Array() },
      { name: "link.png", type: "2", content: new Uint8Array() },
      { name: "text.png", content: Buffer.from("no picture at all") },
      { name: "small.png", content: small },
      good,
    ]);
    const { images, skipped, given } = await openImageSet([archive], reading);
    expect(images).toHaveLength(1);
    expect(given).toBe(5);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(`${archive}:empty.png: .*empty`),
      `Cannot read ${archive}:link.png: it is a symbolic link.`,
      expect.stringMatching(`${archive}:text.png .*PNG, JPEG`),
      expect.stringMatching(`${archive}:small.png .*4×4 pixels`),
    ]);
    await expectError(openImageSet([archive], reading, { strict: true }), {
      code: "unusable-images",
      phrase: `${archive}:empty.png`,
    });
  });

  test("before damage are used, and the damage is reported", async () => {
    const archive = await put("cut.tar", await sceneEntries(4));
    await truncate(archive, 6000);
    const { images, skipped } = await openImageSet([archive], reading);
    expect(images.length).toBeGreaterThan(0);
    expect(images.length).toBeLessThan(4);
    expect(skipped).toHaveLength(1);
    expect(skipped[0].reason).toContain("incomplete");
    expect(await sentenceOf(openImageSet([archive], reading, { strict: true }))).toContain(
      "incomplete",
    );
  });

  test("that are cut off during use are skipped, and the others stay", async () => {
    const archive = await put("shrinks.tar", await sceneEntries(6));
    const set = await openImageSet([archive], reading);
    await truncate(archive, 6000);
    expect(await set.load(5, 0)).toBeUndefined();
    expect(await set.load(0, 0, 6)).toBeDefined();
    expect(set.skipped.map(({ reason }) => reason)).toEqual([
      `${archive}:dir/scene5.png was changed while it was in use: its archive is shorter now.`,
    ]);
  });

  test("fail while the archive is missing, and are read again later", async () => {
    const archive = await put("away.tar", await sceneEntries(3));
    const set = await openImageSet([archive], reading);
    await rename(archive, `${archive}.away`);
    for (const index of [0, 1]) {
      await expectError(set.load(index, 0, 3), { code: "cannot-read", phrase: archive });
    }
    await rename(`${archive}.away`, archive);
    expect(await set.load(1, 0, 3)).toBeDefined();
    expect(set.skipped).toEqual([]);
  });
});

describe("an archive", () => {
  test("throws if the disk fails, which is not damage to the archive", async () => {
    // A folder can be opened but not read.
    const path = join(folder, "folder.tar");
    await mkdir(path);
    await expectError(openImageSet([scenes[0], path], reading), {
      code: "cannot-read",
      phrase: path,
    });
  });

  test("without images is reported", async () => {
    const archive = await put("none.tar", [{ name: "a.txt", content: Buffer.from("a") }]);
    expect(await sentenceOf(openImageSet([archive], reading))).toBe(
      `There are no images in ${archive}.`,
    );
  });

  test("that is compressed is rejected with advice", async () => {
    const archive = await put("packed.tar", await sceneEntries(1));
    await promisify(execFile)("gzip", ["-f", archive]);
    await expectError(openImageSet([`${archive}.gz`], reading), {
      code: "unusable-images",
      phrase: /packed\.tar\.gz: .*Unpack/,
    });
  });

  test("reports progress and an estimate of the total", async () => {
    const archive = await put("counted.tar", await sceneEntries(12));
    const seen: [number, number][] = [];
    await openImageSet([archive, scenes[0]], reading, {
      onProgress: (done, total) => seen.push([done, total]),
    });
    expect(seen).toHaveLength(13);
    const [done, total] = seen[12];
    expect(done).toBe(13);
    expect(total).toBeGreaterThanOrEqual(13);
    expect(total).toBeLessThan(16);
  });
});
