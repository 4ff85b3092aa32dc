/** Job: the photograph in grey, and the responses of two filters everywhere in it. */
import { histogram2dOf, smoothed } from "../../../src/evaluation/histogram-2d.js";
import { contourLevels } from "../../../src/figures/contour-panel.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { type Bitmap, greyBitmap } from "../../components/bitmap.js";
import { decodeInRange } from "../../compute/decode-picture.js";
import type { Job } from "../../compute/job.js";
import { LastOnes } from "../../compute/last-ones.js";
import type { NamedFile } from "../../named-file.js";
import { contourPath, square } from "../../plane/plane-grid.js";
import { withNoise } from "./noise.js";
import { type Responses, filterSide, filters, responsesOf } from "./filters.js";

export interface Story {
  readonly photograph: Bitmap;
  readonly responses: Responses;
  /** Pictures of both filters. */
  readonly filters: readonly Bitmap[];
  /** Some of the pairs of responses, in random order, count×2. */
  readonly shown: Float32Array;
  /** Contours of the histogram of all pairs: the `d` of an SVG path. */
  readonly contours: string;
}

export interface StoryData {
  readonly image: GreyImage;
  readonly story: Story;
  /** Densities at which contours are drawn. */
  readonly levels: readonly number[];
}

const shownCount = 3000;
const smoothingInBins = 0.8;
/** White and black of the pictures of filters: the largest weight. */
const largestWeight = 3 / 32;

const known = new LastOnes<StoryData>(1);

export const readStory: Job<NamedFile, Story> = async (photograph) =>
  (await storyData(photograph)).story;

export function storyData(photograph: NamedFile): Promise<StoryData> {
  return known.get(photograph.key, async () => storyOf(await decodeInRange(photograph, "grey")));
}

export function storyOf(image: GreyImage): StoryData {
  // Without noise, flat places of 8-bit pictures have equal responses.
  const responses = responsesOf(withNoise(image, null));
  const { pairs } = responses;
  const histogram = smoothed(histogram2dOf(pairs, square).density, smoothingInBins);
  const levels = contourLevels(histogram);
  const order = createRandom(1, "start page", "shown").permutation(pairs.length / 2);
  const story = {
    photograph: greyBitmap(image),
    responses,
    filters: filters.map((filter) =>
      greyBitmap({ width: filterSide, height: filterSide, pixels: filter }, [
        -largestWeight,
        largestWeight,
      ]),
    ),
    shown: Float32Array.from({ length: 2 * shownCount }, (_, k) => {
      return pairs[2 * order[Math.floor(k / 2)] + (k % 2)];
    }),
    contours: contourPath(histogram, levels),
  };
  return { image, story, levels };
}
