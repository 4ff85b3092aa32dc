import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/folders.js";
import { type DownloadOptions, download } from "../../node/download.js";
import {
  type Answer,
  type FileServer,
  cut,
  ranged,
  serve,
  stall,
  status,
  whole,
  inPieces,
  withoutLength,
} from "../support/file-server.js";

const content = Uint8Array.from({ length: 300_000 }, (_, k) => (k * k + 7 * k) >> 3);
const other = content.map((value) => value ^ 1);
const bytes = content.length;
const sha256 = createHash("sha256").update(content).digest("hex");
const waits = [1, 1, 1];

const root = await temporaryFolder("download");
let folder = "";
let path = "";
let server: FileServer | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
  path = join(folder, "set", "a.bin");
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Fetches from a server with these answers. Returns the error, with <address> for the address. */
async function fetchFrom(answers: readonly Answer[], options: DownloadOptions = {}) {
  server = await serve(...answers);
  const address = `${server.address}a.bin`;
  const wanted = { address, path, bytes, sha256 };
  const sentence = await download(wanted, { waits, ...options }).then(
    () => "",
    (error: unknown) => (error as Error).message.replace(address, "<address>"),
  );
  return { sentence, requests: server.requests };
}

async function leave(partial: Uint8Array): Promise<void> {
  await mkdir(join(folder, "set"));
  await writeFile(`${path}.part`, partial);
}

async function expectComplete(): Promise<void> {
  expect(Buffer.compare(await readFile(path), content)).toBe(0);
  expect(await readdir(join(folder, "set"))).toEqual(["a.bin"]);
}

const partialSize = async (): Promise<number> => (await stat(`${path}.part`)).size;

describe("a download completes", () => {
  test("from a good server, with one request, into a new folder", async () => {
    const seen: number[] = [];
    const result = await fetchFrom([ranged(content)], { onProgress: (done) => seen.push(done) });
    expect(result).toEqual({ sentence: "", requests: ["/a.bin"] });
    await expectComplete();
    expect(seen.at(-1)).toBe(bytes);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test("after a cut connection, by requesting the rest", async () => {
    const { sentence, requests } = await fetchFrom([cut(content, 100_000), ranged(content)]);
    expect(sentence).toBe("");
    expect(requests).toHaveLength(2);
    expect(Number(/bytes=(\d+)-$/.exec(requests[1])?.[1])).toBeGreaterThan(0);
    await expectComplete();
  });

  test("after an earlier program, by requesting the rest", async () => {
    await leave(content.subarray(0, 123_456));
    const { requests } = await fetchFrom([ranged(content)]);
    expect(requests).toEqual(["/a.bin bytes=123456-"]);
    await expectComplete();
  });

  test("without a request if only the rename is missing", async () => {
    await leave(content);
    expect(await fetchFrom([status(404)])).toEqual({ sentence: "", requests: [] });
    await expectComplete();
  });

  test("from a server without ranges, by restarting", async () => {
    await leave(content.subarray(0, 1000));
    const { requests } = await fetchFrom([whole(content)]);
    expect(requests).toEqual(["/a.bin bytes=1000-"]);
    await expectComplete();
  });

  test("if the file has changed meanwhile, by restarting", async () => {
    const answers = [cut(other, 100_000, '"old"'), ranged(content, '"new"')];
    const { sentence, requests } = await fetchFrom(answers);
    expect({ sentence, count: requests.length }).toEqual({ sentence: "", count: 2 });
    await expectComplete();
  });

  test("if the partial file is of another file, by restarting", async () => {
    await leave(other.subarray(0, 1000));
    const { sentence, requests } = await fetchFrom([ranged(content)]);
    expect({ sentence, requests }).toEqual({
      sentence: "",
      requests: ["/a.bin bytes=1000-", "/a.bin"],
    });
    await expectComplete();
  });

  test.each([
    ["416", status(416)],
    ["another part", ranged(content.subarray(1))],
  ])("after the answer %s, by restarting", async (_, answer) => {
    await leave(content.subarray(0, 1000));
    const { requests } = await fetchFrom([answer, whole(content)]);
    expect(requests).toEqual(["/a.bin bytes=1000-", "/a.bin"]);
    await expectComplete();
  });

  test("if the partial file is too long", async () => {
    await leave(new Uint8Array(bytes + 1));
    expect((await fetchFrom([ranged(content)])).requests).toEqual(["/a.bin"]);
    await expectComplete();
  });

  test("if an answer without length is truncated, by requesting the rest", async () => {
    const answers = [withoutLength(content.subarray(0, 50_000)), ranged(content)];
    const { requests } = await fetchFrom(answers);
    expect(requests).toEqual(["/a.bin", "/a.bin bytes=50000-"]);
    await expectComplete();
  });

  test.each([408, 429, 500, 503])("after a temporary failure (%i)", async (code) => {
    const { requests } = await fetchFrom([status(code, { "retry-after": "0" }), ranged(content)]);
    expect(requests).toHaveLength(2);
    await expectComplete();
  });

  test("after a redirect, which keeps the range", async () => {
    await leave(content.subarray(0, 1000));
    const { requests } = await fetchFrom([
      status(302, { location: "/elsewhere/b.bin" }),
      ranged(content),
    ]);
    expect(requests).toEqual(["/a.bin bytes=1000-", "/elsewhere/b.bin bytes=1000-"]);
    await expectComplete();
  });

  test("after a stall, with another connection", async () => {
    const answers = [stall(content, 20_000), ranged(content)];
    const { requests } = await fetchFrom(answers, { stallLimit: 200 });
    expect(requests).toHaveLength(2);
    await expectComplete();
  });
});

describe("a download fails", () => {
  test("with a wrong checksum, and deletes the file", async () => {
    const { sentence, requests } = await fetchFrom([ranged(other)]);
    const received = createHash("sha256").update(other).digest("hex");
    expect(sentence).toBe(
      `<address> has the wrong SHA-256 (expected ${sha256}, received ${received}). The downloaded file was deleted.`,
    );
    expect(requests).toHaveLength(1);
    expect(await readdir(join(folder, "set"))).toEqual([]);
  });

  test("with 404, at once, and keeps the partial file", async () => {
    await leave(content.subarray(0, 1000));
    const { sentence, requests } = await fetchFrom([status(404)]);
    expect(sentence).toBe("Cannot fetch <address>: the server answers 404 (Not Found).");
    expect(requests).toHaveLength(1);
    expect(await partialSize()).toBe(1000);
  });

  test("with repeated 500, after all attempts", async () => {
    const { sentence, requests } = await fetchFrom([status(500)]);
    expect(sentence).toBe(
      "Cannot fetch <address>: the server answers 500 (Internal Server Error).",
    );
    expect(requests).toHaveLength(1 + waits.length);
    expect(await readdir(join(folder, "set"))).toEqual([]);
  });

  test("if no server listens", async () => {
    const gone = await serve(status(404));
    await gone.close();
    const wanted = { address: gone.address, path, bytes, sha256 };
    await expect(download(wanted, { waits })).rejects.toThrow(
      `Cannot fetch ${gone.address}: the host refuses the connection.`,
    );
  });

  test("for a file of another size, and keeps the partial file", async () => {
    await leave(content.subarray(0, 1000));
    const { sentence } = await fetchFrom([whole(new Uint8Array(12))]);
    expect(sentence).toBe(
      "Cannot fetch <address>: the server has another file, of 12 rather than 300000 bytes.",
    );
    expect(await partialSize()).toBe(1000);
  });

  test("for an answer that is too long, and keeps nothing of it", async () => {
    // Node's own fetch crashes on the second kind of answer.
    for (const answer of [inPieces, withoutLength]) {
      const { sentence } = await fetchFrom([answer(new Uint8Array(bytes + 1))]);
      expect(sentence).toBe(
        "Cannot fetch <address>: the server has another file, of more than 300000 bytes.",
      );
      expect(await readdir(join(folder, "set"))).toEqual([]);
      await server?.close();
    }
  });

  test("for endless redirects", async () => {
    const { sentence, requests } = await fetchFrom([status(302, { location: "/a.bin" })]);
    expect(sentence).toBe("Cannot fetch <address>: it redirects more than 10 times.");
    expect(requests).toHaveLength(11);
  });

  test("after repeated cuts, and the next download resumes", async () => {
    const { sentence } = await fetchFrom([cut(content, 50_000)], { waits: [] });
    expect(sentence).toBe("Cannot fetch <address>: the connection was cut.");
    const there = await partialSize();
    expect(there).toBeGreaterThan(0);
    await server?.close();
    const { requests } = await fetchFrom([ranged(content)]);
    expect(requests).toEqual([`/a.bin bytes=${there}-`]);
    await expectComplete();
  });

  test("when aborted, and keeps the partial file", async () => {
    const controller = new AbortController();
    const { sentence } = await fetchFrom([stall(content, 20_000)], {
      signal: controller.signal,
      onProgress: () => {
        controller.abort(new Error("as asked"));
      },
    });
    expect(sentence).toBe("as asked");
    expect(await partialSize()).toBeGreaterThan(0);
  });

  test("if the folder is a file", async () => {
    await writeFile(join(folder, "set"), "");
    const { sentence, requests } = await fetchFrom([ranged(content)]);
    expect(sentence).toBe(`Cannot write into ${join(folder, "set")}: it is not a folder.`);
    expect(requests).toEqual([]);
  });
});
