import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type Answer,
  type FileServer,
  cut,
  ranged,
  serve,
  stall,
  status,
} from "../support/file-server.js";
import { contentOf, isKnown, putFile, putSet, runData } from "../support/small-data-sets.js";

vi.mock("../../node/data-sums.js", () => import("../support/small-data-sets.js"));

const root = await mkdtemp(join(tmpdir(), "gaussianize-data-fetch-"));
let folder = "";
let server: FileServer | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(root, "test-"));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => rm(root, { recursive: true }));

const everyFile: Answer = (request, response) => {
  const path = (request.url ?? "").replace(/^\/mirror\//, "");
  (isKnown(path) ? ranged(contentOf(path)) : status(404))(request, response);
};

async function mirror(...answers: Answer[]): Promise<string> {
  server = await serve(...answers);
  return `${server.address}mirror`;
}

describe("gaussianize data fetch", () => {
  test.runIf(process.platform === "linux")(
    "ends at once where no folder can be made, with code 1",
    async () => {
      const from = await mirror(everyFile);
      const ran = await runData("/proc/a/b", "fetch", "kodak", "--from", from);
      const reason = "Cannot write /proc/a: /proc takes no new files.";
      expect(ran).toEqual({ code: 1, stdout: "", stderr: `gaussianize data: ${reason}\n` });
    },
  );

  test("downloads every file of the sets from a mirror", async () => {
    const from = await mirror(everyFile);
    const { code, stdout, stderr } = await runData(
      folder,
      "fetch",
      "kodak",
      "bsds300",
      "--from",
      from,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe(
      `kodak: all 6 files are in ${folder}, 6 of them fetched.\nbsds300: all 12 files are in ${folder}, 12 of them fetched.\n`,
    );
    for (const path of ["kodak/1.png", "bsds300/train/6.png"])
      expect(await readFile(join(folder, path))).toEqual(contentOf(path));
    expect((await runData(folder, "verify", "kodak", "bsds300")).code).toBe(0);
  });

  test("downloads only missing or wrong files, and names the wrong ones", async () => {
    await putSet(folder, "kodak");
    await putFile(folder, "kodak/2.png", Buffer.from("something else"));
    await rm(join(folder, "kodak", "5.png"));
    const from = await mirror(everyFile);
    const { stderr } = await runData(folder, "fetch", "kodak", "--from", from);
    expect(server?.requests.sort()).toEqual(["/mirror/kodak/2.png", "/mirror/kodak/5.png"]);
    expect(stderr).toContain("kodak/2.png has a wrong checksum");
    expect((await runData(folder, "verify", "kodak")).code).toBe(0);
  });

  test("downloads nothing if all files are present, with or without an address", async () => {
    await putSet(folder, "bsd68");
    expect(await runData(folder, "fetch", "bsd68")).toEqual({
      code: 0,
      stdout: "",
      stderr: `bsd68: all 6 files are in ${folder}, nothing to fetch.\n`,
    });
  });

  test("continues a cut download", async () => {
    const content = contentOf("kodak/6.png");
    await putSet(folder, "kodak");
    await rm(join(folder, "kodak", "6.png"));
    const from = await mirror(cut(content, 20_000), everyFile);
    expect((await runData(folder, "fetch", "kodak", "--from", from)).code).toBe(0);
    expect(server?.requests[1]).toMatch(/^\/mirror\/kodak\/6\.png bytes=[1-9]\d*-$/);
    expect((await runData(folder, "verify", "kodak")).code).toBe(0);
  });

  test.each([
    ["bsds300", "unpack BSDS300-images.tgz", "https://www2.eecs.berkeley.edu/"],
    ["bsd68", "testsets/BSD68", "https://github.com/cszn/DnCNN"],
    ["vanhateren", "imkNNNNN.iml", "http://bethgelab.org/datasets/vanhateren/"],
  ])("explains how to get %s, and downloads nothing", async (name, how, page) => {
    const { code, stderr } = await runData(folder, "fetch", "kodak", name);
    expect(code).toBe(1);
    for (const words of [name, how, page, "--from"]) expect(stderr).toContain(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(await readdir(folder)).toEqual([]);
  });

  test("fails once, not once per file", async () => {
    const from = await mirror(status(404));
    const { code, stderr } = await runData(folder, "fetch", "kodak", "--from", from);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^gaussianize data: Cannot fetch http:\S+\.png: the server answers 404 \(Not Found\)\.\n$/,
    );
  });

  test("deletes a download with a wrong checksum", async () => {
    const wrong = new Uint8Array(contentOf("kodak/1.png").length);
    await putSet(folder, "kodak");
    await rm(join(folder, "kodak", "1.png"));
    const { code, stderr } = await runData(
      folder,
      "fetch",
      "kodak",
      "--from",
      await mirror(ranged(wrong)),
    );
    expect(code).toBe(1);
    expect(stderr).toContain("has the wrong SHA-256");
    expect(await readdir(join(folder, "kodak"))).toHaveLength(5);
  });

  test("keeps the query of a mirror's address", async () => {
    const from = await mirror(status(404));
    await runData(folder, "fetch", "kodak", "--from", `${from}/?key=1`);
    expect(server?.requests[0]).toMatch(/^\/mirror\/kodak\/\d\.png\?key=1$/);
  });
});

describe("Ctrl-C", () => {
  test("keeps partial files, which the next fetch continues", async () => {
    // The command as it is installed, with its own table: kodim01.png has 736,501 bytes.
    const fetchKodak = (from: string): ChildProcess =>
      spawn(
        process.execPath,
        ["dist/cli/main.js", "data", "fetch", "kodak", "--data", folder, "--from", from],
        { stdio: "ignore", timeout: 15_000, killSignal: "SIGKILL" },
      );
    const partial = join(folder, "kodak", "kodim01.png.part");
    const sizeNow = () =>
      stat(partial).then(
        ({ size }) => size,
        () => 0,
      );

    const slow: Answer = (request, response) => {
      if (request.url?.endsWith("kodim01.png"))
        stall(new Uint8Array(736_501), 30_000)(request, response);
    };
    const interrupted = fetchKodak(await mirror(slow));
    await vi.waitFor(async () => {
      expect(await sizeNow()).toBe(30_000);
    }, 10_000);
    interrupted.kill("SIGINT");
    await once(interrupted, "close");
    expect(await sizeNow()).toBe(30_000);
    await server?.close();

    await once(fetchKodak(await mirror(status(404))), "close");
    expect(server?.requests).toContain("/mirror/kodak/kodim01.png bytes=30000-");
  });
});
