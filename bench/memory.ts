/** (h) Resident memory of a fit to 200 and to 20,000 images: it must not grow with their number. */
import { spawn } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodePng } from "../src/figures/encode-png.js";
import { prose } from "../src/figures/report-text.js";
import { deadLeaves } from "../src/images/dead-leaves.js";
import { thousands } from "../src/numbers/format-number.js";
import { createRandom } from "../src/random/random-stream.js";
import { table } from "./table.js";
import { tarMember } from "./tar-blocks.js";

export interface MemoryFigures {
  readonly few: number;
  readonly many: number;
  readonly files: MemoryRatio;
  readonly archives: MemoryRatio;
}

interface MemoryRatio {
  /** Peaks of resident memory, in MiB. */
  readonly fewMegabytes: number;
  readonly manyMegabytes: number;
  readonly ratio: number;
  /** Duration of the fit to many images. */
  readonly seconds: number;
}

const side = 96;
/** Number of scenes from which all images are cut: this takes seconds for 20,000. */
const scenes = 40;
const sceneSide = 512;
const imagesPerFolder = 1000;
const imagesPerArchive = 500;
/** Memory for pixels in MB: 100 images, fewer than in either case. */
const memory = (100 * 4 * side * side) / 2 ** 20;
/** Enough for the window of images to move several times. */
const steps = 640;

export async function measureMemory(
  say: (text: string) => void,
  few = 200,
  many = 20_000,
): Promise<MemoryFigures> {
  const folder = await mkdtemp(join(tmpdir(), "gaussianize-bench-memory-"));
  try {
    say(`making ${few} and ${many} images of ${side}×${side} pixels, as files and in archives`);
    await makeImages(join(folder, "few"), few);
    await makeImages(join(folder, "many"), many);
    const ratioOf = async (kind: "files" | "archives"): Promise<MemoryRatio> => {
      say(`fits of ${steps} steps, ${kind}`);
      const ofFew = await measureFit(join(folder, "few", kind), join(folder, `${kind}-few`));
      const ofMany = await measureFit(join(folder, "many", kind), join(folder, `${kind}-many`));
      return {
        fewMegabytes: ofFew.megabytes,
        manyMegabytes: ofMany.megabytes,
        ratio: ofMany.megabytes / ofFew.megabytes,
        seconds: ofMany.seconds,
      };
    };
    return { few, many, files: await ratioOf("files"), archives: await ratioOf("archives") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes pieces of scenes, each to files/ and to archives/. */
async function makeImages(folder: string, count: number): Promise<void> {
  await mkdir(join(folder, "archives"), { recursive: true });
  const pictures = Array.from({ length: Math.min(scenes, count) }, (_, k) =>
    deadLeaves(createRandom(1, "bench-memory", k), { width: sceneSide, height: sceneSide }),
  );
  let shard: Buffer[] = [];
  for (let k = 0; k < count; k++) {
    const { pixels, width } = pictures[k % pictures.length];
    const name = `${String(k).padStart(6, "0")}.png`;
    const content = encodePng(pieceOf(pixels, width, k));
    const below = join(folder, "files", String(Math.floor(k / imagesPerFolder)));
    if (k % imagesPerFolder === 0) await mkdir(below, { recursive: true });
    await writeFile(join(below, name), content);
    shard.push(tarMember({ name, content }));
    if (shard.length < imagesPerArchive && k + 1 < count) continue;
    const archive = join(folder, "archives", `${Math.floor(k / imagesPerArchive)}.tar`);
    await appendFile(archive, Buffer.concat([...shard, Buffer.alloc(1024)]));
    shard = [];
  }
}

function pieceOf(scene: Float32Array, width: number, number: number) {
  const random = createRandom(1, "bench-memory-place", number);
  const [top, left] = [random.integer(width - side), random.integer(width - side)];
  const pixels = new Float32Array(side * side);
  for (let row = 0; row < side; row++) {
    const from = (top + row) * width + left;
    pixels.set(scene.subarray(from, from + side), row * side);
  }
  return { width: side, height: side, pixels };
}

/** Fits in a separate process, which reports its peak memory at the end. */
async function measureFit(
  images: string,
  run: string,
): Promise<{ readonly megabytes: number; readonly seconds: number }> {
  const report = `${run}.json`;
  const preload = `${run}.cjs`;
  await writeFile(
    preload,
    `process.on("exit", () => {
      const { maxRSS } = process.resourceUsage();
      require("node:fs").writeFileSync(${JSON.stringify(report)}, JSON.stringify(maxRSS));
    });`,
  );
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const terms = ["--patch", "8", "--batch", "256", "--steps", String(steps), "--workers", "2"];
    const flags = ["fit", images, ...terms, "--memory", String(memory), "-o", run];
    const child = spawn(process.execPath, ["--require", preload, "dist/cli/main.js", ...flags], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`gaussianize fit ended with exit code ${code}`));
    });
  });
  const kilobytes = JSON.parse(await readFile(report, "utf8")) as number;
  return { megabytes: kilobytes / 1024, seconds: (performance.now() - start) / 1000 };
}

export function memoryTable({ few, many, files, archives }: MemoryFigures): string {
  const row = (what: string, of: MemoryRatio): string[] => [
    what,
    `${of.fewMegabytes.toFixed(0)} MB`,
    `${of.manyMegabytes.toFixed(0)} MB`,
    `${of.ratio.toFixed(2)}×`,
    `${of.seconds.toFixed(0)} s`,
  ];
  return table(
    prose`
      peak resident memory of a fit | ${thousands(few)} images | ${thousands(many)} images | ratio |
      time of the second
    `,
    [row("files", files), row("tar archives", archives)],
  );
}
