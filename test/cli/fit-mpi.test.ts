/**
 * `gaussianize fit --distributed mpi` under real launchers: the same model for any number of ranks,
 * whatever happens to them.
 */
import { spawnSync } from "node:child_process";
import { access, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { type Launcher, type Ended, launchers, processOfRank, startJob } from "./mpirun.js";
import { temporaryFolder, writeScenes } from "../support/folders.js";

let folder: string;
let images: string;
beforeAll(async () => {
  folder = await temporaryFolder("mpi");
  images = join(folder, "images");
  await mkdir(images);
  await writeScenes(images, 5);
});

const quick = ["--patch", "4", "--batch", "64", "--steps", "40", "--preprocessing", "standardize"];
/** Long enough to be met in the middle. */
const long = ["--patch", "4", "--batch", "64", "--steps", "600", "--preprocessing", "standardize"];
const some = ["--patch", "4", "--batch", "64", "--steps", "300", "--preprocessing", "standardize"];
/**
 * Steps of more than a second: a rank that waited for the end of one would wait for the dead one,
 * too.
 */
const slow = ["--patch", "16", "--batch", "3072", "--steps", "3", "--preprocessing", "standardize"];
const together = ["--distributed", "mpi"];
const pathOf = (name: string): string => join(folder, name);
const modelOf = (name: string): Promise<Buffer> =>
  readFile(join(pathOf(name), "model.safetensors"));

function fitAlone(name: string, options: readonly string[], more: readonly string[] = []): Ended {
  const words = ["dist/cli/main.js", "fit", ...more, ...options, "-o", pathOf(name)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return { code: status, stdout, stderr };
}

/** Waits until a run has the file. */
async function fileIn(name: string, file: string): Promise<string> {
  const path = join(pathOf(name), file);
  const isThere = (): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  for (let attempt = 0; attempt < 6000; attempt++) {
    if (await isThere()) return path;
    await setTimeout(10);
  }
  throw new Error(`no ${file} in ${name}`);
}
/** A file that is written again and again. */
async function becomeFolder(path: string): Promise<void> {
  for (;;) {
    await rm(path, { force: true });
    const isMade = await mkdir(path).then(
      () => true,
      () => false,
    );
    if (isMade) return;
  }
}
const checkpointIn = (name: string): Promise<string> => fileIn(name, "checkpoint.safetensors");

/** Returns the lines of the program, without those of the launcher. */
const saidIn = ({ stderr }: Ended): string[] =>
  stderr.split(/\n(?! )/).filter((line) => line.startsWith("gaussianize"));

const found = launchers();
const noLauncher = "neither mpirun.openmpi nor mpirun.mpich is installed";
if (found.length === 0) test.skip(`fits on MPI: ${noLauncher}`);

describe.each(found)("gaussianize fit on $name", { timeout: 240_000 }, (launcher: Launcher) => {
  const label = (name: string): string => `${launcher.name.replace(" ", "")}-${name}`;
  const fit = (ranks: number, name: string, options: readonly string[]) =>
    startJob(launcher, ranks, ["fit", ...options, ...together, "-o", pathOf(name)]);

  // The other fits are compared with this one.
  beforeAll(() => {
    expect(fitAlone(label("whole"), long, [images]).code).toBe(0);
  });

  test("gives the same bytes on 1, 3 and 4 ranks as without MPI, and prints once", async () => {
    const alone = label("alone");
    expect(fitAlone(alone, quick, [images]).code).toBe(0);
    for (const ranks of [1, 3, 4]) {
      const name = label(`ranks${ranks}`);
      const ended = await fit(ranks, name, [images, ...quick, "--json"]).ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(saidIn(ended)).toEqual([]);
      expect(JSON.parse(ended.stdout)).toMatchObject({ steps: 40, trainingImages: 4 });
      expect((await modelOf(name)).equals(await modelOf(alone)), name).toBe(true);
      expect((await readdir(pathOf(name))).sort()).toEqual([
        "checkpoint.safetensors",
        "config.json",
        "metrics.jsonl",
        "model.safetensors",
      ]);
    }
  });

  test.each([0, 1])("resumes on any number of ranks after rank %i was killed", async (victim) => {
    const [whole, name] = [label("whole"), label(`killed${victim}`)];
    const job = fit(2, name, [images, ...long]);
    await checkpointIn(name);
    process.kill(processOfRank(pathOf(name), victim), "SIGKILL");
    const ended = await job.ended;
    expect(ended.code).not.toBe(0);
    // MPICH leaves the others no time to say anything.
    if (launcher.name === "Open MPI") {
      expect(saidIn(ended)).toEqual([
        expect.stringMatching(
          /^gaussianize fit: The job was ended by SIGTERM \(a rank died, or somebody stopped it\); [\d,]+ of 600 steps are kept\. Resume with:\n {2}mpirun -n 2 gaussianize fit -o .* --distributed mpi --resume$/,
        ),
      ]);
    }
    const resumed =
      victim === 0 ? fitAlone(name, [], ["--resume"]) : await fit(4, name, ["--resume"]).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toMatch(/Resuming after [\d,]+ steps?\./);
    expect((await modelOf(name)).equals(await modelOf(whole))).toBe(true);
  });

  test("stops at the same step everywhere when one rank is interrupted", async () => {
    const name = label("interrupted");
    const job = fit(2, name, [images, ...long]);
    await checkpointIn(name);
    process.kill(processOfRank(pathOf(name), 1), "SIGINT");
    const ended = await job.ended;
    expect(ended.code).toBe(130);
    expect(saidIn(ended)).toEqual([
      expect.stringMatching(/^gaussianize fit: Interrupted; [\d,]+ of 600 steps are kept\. Resume/),
    ]);
    const resumed = await fit(2, name, ["--resume"]).ended;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect((await modelOf(name)).equals(await modelOf(label("whole")))).toBe(true);
  });

  test("prints an error of all ranks, or of one, once", async () => {
    const refused = await fit(4, label("few"), [images, ...quick, "--batch", "24"]).ended;
    expect(refused.code).toBe(1);
    expect(saidIn(refused)).toEqual([
      "gaussianize fit: Expected the number of ranks to be at most 3 with a batch of 24 (each needs at least 8 samples) but received 4.",
    ]);
    const broken = pathOf("broken");
    await mkdir(broken, { recursive: true });
    await writeScenes(broken, 4);
    const bytes = await readFile(join(broken, "scene1.png"));
    await writeFile(join(broken, "scene1.png"), bytes.subarray(0, bytes.length / 2));
    const strict = await fit(2, label("strict"), [broken, ...quick, "--strict"]).ended;
    expect(strict.code).toBe(1);
    expect(saidIn(strict)).toEqual([expect.stringContaining("scene1.png")]);
    const usage = await fit(2, label("usage"), [images, "--sed", "1"]).ended;
    expect(usage.code).toBe(2);
    expect(saidIn(usage)).toHaveLength(1);
    await expect(access(pathOf(label("few")))).rejects.toThrow();
  });

  test("ends at all ranks if rank 0 cannot write the model", async () => {
    const name = label("model");
    const job = fit(2, name, [images, ...some]);
    await checkpointIn(name);
    await mkdir(join(pathOf(name), "model.safetensors"));
    const ended = await job.ended;
    expect(ended.code, ended.stderr).toBe(1);
    expect(saidIn(ended)).toEqual([
      expect.stringMatching(/^gaussianize fit: Cannot write .*model\.safetensors: /),
    ]);
  });

  test("ends at all ranks if the last checkpoint cannot be written or read", async () => {
    const name = label("checkpoint");
    // Should a checkpoint be due before the interruption is heard, it says the same.
    const job = fit(2, name, [images, ...quick, "--steps", "200000"]);
    await becomeFolder(await checkpointIn(name));
    process.kill(processOfRank(pathOf(name), 1), "SIGINT");
    const ended = await job.ended;
    expect(ended.code, ended.stderr).toBe(1);
    expect(saidIn(ended)).toEqual([
      expect.stringMatching(/^gaussianize fit: Cannot write .*checkpoint\.safetensors: /),
    ]);
    const resumed = await fit(2, name, ["--resume"]).ended;
    expect(resumed.code, resumed.stderr).toBe(1);
    expect(saidIn(resumed)).toEqual([
      expect.stringMatching(/^gaussianize fit: Cannot read .*checkpoint\.safetensors: /),
    ]);
  });

  test("is interrupted at all ranks if one is, before the first step", async () => {
    const name = label("early");
    // Preparing takes a second.
    const job = fit(2, name, [images, "--patch", "16", "--batch", "64"]);
    await fileIn(name, "lock.json");
    process.kill(processOfRank(pathOf(name), 1), "SIGINT");
    const ended = await job.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(saidIn(ended)).toEqual([
      "gaussianize fit: Interrupted before the first checkpoint: nothing was written.",
    ]);
    await expect(access(pathOf(name))).rejects.toThrow();
  });

  test("rejects several processes without --distributed", async () => {
    const words = ["fit", images, ...quick, "-o", pathOf(label("apart"))];
    const ended = await startJob(launcher, 2, words).ended;
    expect(ended.code).toBe(2);
    expect(saidIn(ended)).toEqual([
      'gaussianize fit: 2 processes were started: give --distributed mpi to fit one model with all of them, or --distributed none if each has its own run. See "gaussianize fit --help".',
    ]);
  });
});

const [openMpi] = found.filter(({ name }) => name === "Open MPI");
describe.skipIf(!openMpi)(
  "gaussianize fit on Open MPI with slow steps",
  { timeout: 300_000 },
  () => {
    beforeAll(() => {
      expect(fitAlone("slow", slow, [images]).code).toBe(0);
    });
    test("keeps the last step if a rank dies during the next one", async () => {
      const name = "slow1";
      // Open MPI kills the ranks a second after it has asked them to end, of which a busy machine
      // may have none for us.
      const patience = ["--mca", "odls_base_sigkill_timeout", "5"];
      const patient = { ...openMpi, command: [...openMpi.command, ...patience] };
      const job = startJob(patient, 2, ["fit", images, ...slow, ...together, "-o", pathOf(name)]);
      await checkpointIn(name);
      process.kill(processOfRank(pathOf(name), 1), "SIGKILL");
      const ended = await job.ended;
      expect(saidIn(ended)).toEqual([expect.stringMatching(/[12] of 3 steps are kept/)]);
      const again = ["fit", "-o", pathOf(name), "--resume", ...together];
      const resumed = await startJob(openMpi, 2, again).ended;
      expect(resumed.code, resumed.stderr).toBe(0);
      expect((await modelOf(name)).equals(await modelOf("slow"))).toBe(true);
    });
  },
);
