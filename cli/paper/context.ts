/** Gives the experiments of the paper their data, fits and progress lines. */
import { GaussianizeError, reworded } from "../../src/errors.js";
import type { ChartDocument } from "../../src/figures/chart-options.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { imagesOfSet } from "../../node/data-folder.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";
import type { FitRequest, PaperContext, PaperFit } from "../../paper/experiment.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { type FitPlace, fitForPaper, fitImagesForPaper } from "./fits.js";
import { keptPart } from "./kept.js";

export interface ContextOptions {
  readonly runner: TaskRunner;
  readonly document: ChartDocument;
  readonly signal: AbortSignal;
  readonly seed: number;
  readonly quick: boolean;
  readonly place: FitPlace;
  /** Folder of the report. */
  readonly report: string;
}

/** Test image of sets with a test part, in a quick run. */
const testPhotograph = "nagasaki-boats";

export function paperContext(options: ContextOptions, effects: Effects): PaperContext {
  const { place, report, ...given } = options;
  const { seed, quick } = given;
  const terms = { seed, quick, steps: place.steps ?? null };
  const images = (set: string) => imagesFor(set, options.quick, place.dataFolder);
  return {
    ...given,
    images,
    steps: terms.steps,
    part: (experiment, key, make) => keptPart(report, experiment, key, terms, make),
    fit: (request: FitRequest): Promise<PaperFit> =>
      fitForPaper({ ...given, images }, request, place, effects),
    fitImages: (request) => fitImagesForPaper({ ...given, images }, request, place, effects),
    progress: (label, total) => {
      const progress = new Progress(effects, label, total);
      return (done) => {
        if (done >= total) progress.finish();
        else progress.report(done);
      };
    },
  };
}

/** Returns the files of a set; in a quick run, photographs that come with the package. */
export async function imagesFor(
  set: string,
  quick: boolean,
  dataFolder: string,
): Promise<readonly string[]> {
  if (quick) {
    const [, part = "all"] = set.split("/");
    return embeddedPhotographs()
      .filter(({ name }) => part === "all" || (part === "test") === (name === testPhotograph))
      .map(({ path }) => path);
  }
  try {
    return await imagesOfSet(set, dataFolder);
  } catch (error) {
    if (!(error instanceof GaussianizeError)) throw error;
    const how = `${error.message.replace(/\.$/, "")}; or use --quick for the photographs that come with the package.`;
    throw reworded(error, how);
  }
}
