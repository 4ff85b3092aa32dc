import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { findImages, inNameOrder } from "../../node/find-images.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectError, refusal, sentenceOf } from "../support/expect-error.js";

const root = await temporaryFolder("find-images");
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), "");
  }
}

/** Returns what is found, relative to the folder of the test. */
async function found(...patterns: string[]): Promise<string[]> {
  return (await findImages(patterns, { folder })).map((path) => relative(folder, path));
}

test("rejects a pipe, which would block forever", async () => {
  const pipe = join(folder, "a.png");
  execFileSync("mkfifo", [pipe]);
  const sentence = `Cannot read ${pipe}: it is neither a file nor a folder.`;
  expect(await sentenceOf(found("a.png"))).toBe(sentence);
});

const endings = "their names must end in .png, .jpg, .jpeg, .webp, .tif, .tiff, .iml or .tar.";

describe("tar archives", () => {
  test("are found by name, in folders, by globs and in lists", async () => {
    await put("a.tar", "shards/b.png", "shards/c.TAR", "shards/notes.txt", "list.txt");
    await writeFile(join(folder, "list.txt"), "shards/c.TAR\nshards/b.png\n");
    expect(await found("a.tar")).toEqual(["a.tar"]);
    expect(await found("shards")).toEqual(["shards/b.png", "shards/c.TAR"]);
    expect(await found("shards/*.TAR")).toEqual(["shards/c.TAR"]);
    expect(await found("@list.txt")).toEqual(["shards/c.TAR", "shards/b.png"]);
  });

  test("are skipped in folders if not wanted; compressed ones are reported", async () => {
    await put("mixed/a.tar", "mixed/b.png", "mixed/c.tar.gz", "mixed/d.ZIP");
    const passedOver: string[] = [];
    const onPassedOver = (path: string) => void passedOver.push(relative(folder, path));
    await findImages(["mixed"], { folder, onPassedOver });
    expect(passedOver.sort()).toEqual(["mixed/c.tar.gz", "mixed/d.ZIP"]);
    const pictures = await findImages(["mixed"], { folder, archives: false });
    expect(pictures).toEqual([join(folder, "mixed/b.png")]);
  });
});

describe("files", () => {
  test("are returned in the order given, whatever their ending", async () => {
    await put("b.png", "a.jpg", "c");
    expect(await found("b.png", "c", "a.jpg")).toEqual(["b.png", "c", "a.jpg"]);
  });

  test("are returned once, even if named several times", async () => {
    await put("photos/a.png", "photos/b.png");
    const names = ["photos/b.png", "./photos/b.png", "photos", "photos/../photos/*.png"];
    expect(await found(...names, join(folder, "photos/a.png"))).toEqual([
      "photos/b.png",
      "photos/a.png",
    ]);
  });

  test("keep the path that was typed", async () => {
    await put("a.png");
    const path = relative(process.cwd(), join(folder, "a.png"));
    expect(await findImages([path])).toEqual([path]);
    expect(await findImages([`./${path}`])).toEqual([`./${path}`]);
    expect(await findImages([join(folder, "a.png")])).toEqual([join(folder, "a.png")]);
  });

  test("with glob characters in their names are found", async () => {
    await put("photo[1].png", "photo1.png", "what?.png", "{a,b}.png");
    expect(await found("photo[1].png", "what?.png", "{a,b}.png")).toEqual([
      "photo[1].png",
      "what?.png",
      "{a,b}.png",
    ]);
  });

  test("that are hidden can be named", async () => {
    await put(".hidden.png", ".cache/a.png");
    expect(await found(".hidden.png", ".cache", ".cache/*")).toEqual([
      ".hidden.png",
      ".cache/a.png",
    ]);
  });
});

describe("folders", () => {
  test("give their images sorted by name, with subfolders", async () => {
    await put("img10.png", "img2.png", "img1/z.png", "img1/a.png");
    expect(await found(".")).toEqual(["img1/a.png", "img1/z.png", "img10.png", "img2.png"]);
  });

  test("are searched for known endings in any case, without hidden files", async () => {
    const images = ["a.png", "b.JPG", "c.jpeg", "d.WebP", "e.tif", "f.TIFF", "g.iml"];
    await put(...images, "h.txt", "i.gif", "png", ".j.png", ".k/l.png", "m/.n/o.png");
    expect(await found(".")).toEqual(images);
  });

  test("follow links to files but not to folders", async () => {
    await put("photos/a.png", "other/b.png");
    await symlink("../other/b.png", join(folder, "photos/link.png"));
    await symlink("..", join(folder, "photos/circle"));
    expect(await found("photos")).toEqual(["photos/a.png", "photos/link.png"]);
    expect(await found("photos/circle/other")).toEqual(["photos/circle/other/b.png"]);
  });

  test("with ten thousand images are found and checked", async () => {
    const names = Array.from({ length: 10_000 }, (_, k) => `${k % 7}/image-${k}.png`);
    await Promise.all(Array.from({ length: 7 }, (_, k) => mkdir(join(folder, String(k)))));
    await Promise.all(names.map((name) => writeFile(join(folder, name), "")));
    const below = await found(".");
    expect(await found(...names)).toHaveLength(10_000);
    expect(below).toHaveLength(10_000);
    expect(below.slice(0, 3)).toEqual(["0/image-0.png", "0/image-1001.png", "0/image-1008.png"]);
  });
});

describe("globs", () => {
  test.each([
    ["*", ["a1.png", "a10.png", "a2.jpg", "b.png"]],
    ["*.png", ["a1.png", "a10.png", "b.png"]],
    ["a?.*", ["a1.png", "a2.jpg"]],
    ["a[2-9].*", ["a2.jpg"]],
    ["{b,a10}.png", ["a10.png", "b.png"]],
    ["**/*.png", ["a1.png", "a10.png", "b.png", "sub/c.png", "sub/deep/d.png"]],
    ["sub/**", ["sub/c.png", "sub/deep/d.png"]],
    ["./*/c.png", ["sub/c.png"]],
    ["sub/../b.*", ["b.png"]],
  ])("%s", async (pattern, expected) => {
    await put("a10.png", "a2.jpg", "a1.png", "b.png", "notes.txt", ".hidden.png");
    await put("sub/c.png", "sub/deep/d.png", "sub/.hidden/e.png");
    expect(await found(pattern)).toEqual(expected);
    // The same as an absolute pattern, which stays absolute.
    const paths = await findImages([join(folder, pattern)]);
    expect(paths).toEqual(expected.map((name) => join(folder, name)));
  });

  test("relative to the working folder give relative paths", async () => {
    await put("a.png");
    const here = relative(process.cwd(), folder);
    expect(await findImages([`${here}/*.png`])).toEqual([join(here, "a.png")]);
  });
});

describe("lists", () => {
  test("name files and folders relative to themselves, in their order", async () => {
    await put("lists/b.png", "lists/a[1].png", "sets/d.png", "sets/c.png", "@x.png");
    const lines = ["b.png", "", "  ../sets  ", "a[1].png", join(folder, "@x.png"), "b.png"];
    await writeFile(join(folder, "lists/list.txt"), `\uFEFF${lines.join("\r\n")}\r\n`);
    const files = ["lists/b.png", "sets/c.png", "sets/d.png", "lists/a[1].png", "@x.png"];
    expect(await found("@lists/list.txt")).toEqual(files);
    expect(await found(`@${join(folder, "lists/list.txt")}`)).toEqual(files);
    expect(await found("./@x.png")).toEqual(["@x.png"]);
  });

  test("report the first wrong line", async () => {
    await put("a.png");
    await writeFile(join(folder, "list.txt"), "a.png\n\nmissing.png\n*.png\n");
    await expectError(found("@list.txt"), {
      code: "cannot-read",
      phrase: /list\.txt, line 3: .*missing\.png/,
    });
  });

  test.each([
    ["", "Found no images in LIST: it is empty."],
    ["\n \n", "Found no images in LIST: it is empty."],
    ["\x89PNG\0", "Cannot read LIST as a list of images: it is not a text file."],
  ])("%j", async (text, sentence) => {
    const list = join(folder, "list.txt");
    await writeFile(list, text);
    expect(await sentenceOf(found("@list.txt"))).toBe(sentence.replace("LIST", list));
  });
});

describe("reports the pattern that finds nothing", () => {
  test.each([
    ["a.png/b.png", "Cannot read PATH: FOLDER/a.png is not a folder."],
    ["*.jpg", `Found no images that match PATH: ${endings}`],
    ["*.txt", `Found no images that match PATH: ${endings}`],
    ["missing/*.png", `Found no images that match PATH: ${endings}`],
    ["[", `Found no images that match PATH: ${endings}`],
    ["texts", `Found no images in PATH: ${endings}`],
    ["", refusal("a pattern", "be a path, a glob or @list", "")],
  ])("%j", async (pattern, sentence) => {
    await put("a.png", "notes.txt", "texts/b.txt", "texts/.c.png");
    const wanted = sentence.replace("PATH", join(folder, pattern)).replace("FOLDER", folder);
    expect(await sentenceOf(found("a.png", pattern))).toBe(wanted);
  });

  test("a list", async () => {
    const missing = join(folder, "missing.txt");
    await expectError(found("@missing.txt"), { code: "cannot-read", phrase: missing });
    await expectError(found("@."), { code: "cannot-read", phrase: folder });
  });

  test("no patterns at all", async () => {
    expect(await sentenceOf(findImages([]))).toBe(
      "Expected patterns to name at least one file, folder, glob or @list but received [].",
    );
  });

  test("the first of several", async () => {
    await expectError(found("x.png", "*.jpg", "y.png"), { code: "cannot-read", phrase: "x.png" });
  });
});

describe("pictures of other kinds", () => {
  async function passedOver(...patterns: string[]): Promise<string[]> {
    const paths: string[] = [];
    const onPassedOver = (path: string): void => void paths.push(relative(folder, path));
    await findImages(patterns, { folder, onPassedOver });
    return paths.sort();
  }

  test("are reported in folders; other files are not", async () => {
    await put("in/a.png", "in/b.gif", "in/below/c.HEIC", "in/notes.txt", "in/.hidden.bmp", "d.bmp");
    const others = [join("in", "b.gif"), join("in", "below", "c.HEIC")];
    expect(await passedOver("in")).toEqual(others);
    await writeFile(join(folder, "list.txt"), "in\n");
    expect(await passedOver("@list.txt")).toEqual(others);
  });

  test("are not reported for globs and named files", async () => {
    await put("in/a.png", "in/b.gif");
    expect(await passedOver("in/*", "in/b.gif")).toEqual([]);
    expect(await found("in/b.gif")).toEqual([join("in", "b.gif")]);
  });
});

const ordered = [
  "01/a.png",
  "01/c.png",
  "1/b.png",
  "IMG3.png",
  "img1/E3.png",
  "img1/e1.png",
  "img1/z.png",
  "img1/é2.png",
  "img1 b/a.png",
  "img10.png",
  "img2.png",
].map((path) => join(...path.split("/")));

describe("inNameOrder", () => {
  test("sorts by code units and keeps folders together", () => {
    expect(inNameOrder(ordered.toReversed())).toEqual(ordered);
  });

  test("does not depend on the order of its input", () => {
    const random = createRandom(3, "shuffles");
    for (let round = 0; round < 20; round++) {
      const shuffled = ordered
        .map((path) => ({ path, key: random.uniform() }))
        .sort((a, b) => a.key - b.key)
        .map(({ path }) => path);
      expect(inNameOrder(shuffled)).toEqual(ordered);
    }
  });

  test("does not change its argument", () => {
    const paths = ["b", "a"];
    expect(inNameOrder(paths)).toEqual(["a", "b"]);
    expect(paths).toEqual(["b", "a"]);
  });
});
