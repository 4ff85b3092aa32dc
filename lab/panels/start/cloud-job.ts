/** Job: fits a density to the pairs of responses, and reports the cloud on its way to a circle. */
import { gaussianize } from "../../../src/density/induced-density.js";
import { smoothed } from "../../../src/evaluation/histogram-2d.js";
import { InlineRunner } from "../../../src/parallel/inline-runner.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import type { Cascade } from "../../../src/transforms/transform.js";
import type { Job, JobContext } from "../../compute/job.js";
import type { NamedFile } from "../../named-file.js";
import { contourPath, densityAtCentres } from "../../plane/plane-grid.js";
import { type StoryData, storyData } from "./responses-job.js";

export interface CloudFrame {
  readonly step: number;
  readonly steps: number;
  /** The shown pairs after the transform, count×2. */
  readonly y: Float32Array;
  /** Contours of the density: the `d` of an SVG path. */
  readonly contours: string;
  readonly transform: Cascade;
}

const steps = 360;
const frames = 18;
const smoothingInBins = 0.8;

export const fitCloud: Job<NamedFile, CloudFrame, CloudFrame> = async (photograph, context) =>
  fitStory(await storyData(photograph), context);

export async function fitStory(
  data: StoryData,
  { runner, signal, report }: Omit<JobContext<CloudFrame>, "whileHeld">,
): Promise<CloudFrame> {
  // In this thread: a step is faster than a message to a worker.
  const inline = new InlineRunner(runner.kernels);
  const transform = await fitSamples(inline, data.story.responses.pairs, {
    dimension: 2,
    model: "gdn-general",
    steps,
    batch: 512,
    signal,
    snapshotEvery: steps / frames,
    onSnapshot: async (snapshot) => {
      report(await frameOf(inline, data, snapshot.step, snapshot.transform));
      // Lets other jobs of the page in.
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  });
  return frameOf(inline, data, steps, transform);
}

async function frameOf(
  runner: TaskRunner,
  { story, levels }: StoryData,
  step: number,
  transform: Cascade,
): Promise<CloudFrame> {
  const density = await densityAtCentres(runner, transform);
  return {
    step,
    steps,
    y: Float32Array.from((await gaussianize(runner, transform, story.shown)).y),
    contours: contourPath(smoothed(density, smoothingInBins), levels),
    transform,
  };
}
