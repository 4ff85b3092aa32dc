import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DenoisingProgress } from "../../../cli/denoise/progress.js";
import { writePng } from "../../../node/figures.js";
import { recordEffects } from "../../support/commands.js";
import { temporaryFolder } from "../../support/folders.js";

const folder = await temporaryFolder("denoising-progress");
const paths = [join(folder, "a.png"), join(folder, "b.png")];
for (const path of paths) {
  await writePng(path, { width: 100, height: 80, pixels: new Float32Array(8000) });
}

/** Opens a progress line, and returns what it prints at a given second. */
async function opened(files: readonly string[], options: { self?: true; selfSteps?: number }) {
  const effects = recordEffects();
  let seconds = 0;
  const timed = { ...effects, now: () => 1000 * seconds };
  const progress = await DenoisingProgress.open(timed, files, options);
  const printedAt = (time: number, report: () => void): string => {
    seconds = time;
    const before = effects.printed.stderr.length;
    report();
    return effects.printed.stderr.slice(before);
  };
  return { progress, printedAt };
}

describe("DenoisingProgress", () => {
  test("names the work and the picture", async () => {
    const { progress, printedAt } = await opened(paths, {});
    const line = printedAt(10, () => {
      progress.report(0, 0.5, "round 1 of 2, 4,000 of 8,000 pixels");
    });
    // A quarter of two equal pictures is done.
    expect(line).toBe("denoise a.png (1 of 2): round 1 of 2, 4,000 of 8,000 pixels, 30 s left\n");
    progress.finishPicture(0);
    const next = printedAt(20, () => {
      progress.report(1, 0, "0 of 8,000 pixels");
    });
    expect(next).toBe("denoise b.png (2 of 2): 0 of 8,000 pixels, 20 s left\n");
  });

  test("counts the steps of a fit in the time left", async () => {
    const { progress, printedAt } = await opened([paths[0]], { self: true, selfSteps: 9 });
    const line = printedAt(10, () => {
      progress.report(0, 0.45, "fitting, step 4");
    });
    expect(line).toBe("denoise a.png: fitting, step 4, 12 s left\n");
  });
});
