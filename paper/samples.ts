/** §4.2, "Sampling", and its figure: patches of photographs, and patches that the models draw. */
import { type Figure, asDisplayed, patchMosaic, pictureOf, sample } from "../src/index.js";
import type { Experiment, ExperimentResult, PaperContext } from "./experiment.js";
import { patchesFor } from "./parts/image-patches.js";
import { fitPatchModels, patchSize, patchWords } from "./parts/patch-models.js";

const count = 25;
const columns = 5;
/** Of a mosaic on the page, about. */
const pictureWidth = 340;

export const samples: Experiment = {
  name: "samples",
  title: "Samples",
  section: "§4.2, “Sampling”, figure with sample image patches",
  data: ["kodak"],
  minutes: { full: 14, quick: 1 },
  run,
};

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { runner, seed, signal, quick } = context;
  const fits = await fitPatchModels(context);
  const size = patchSize(context);
  const figures: Figure[] = [
    mosaicOf("Photographs", await patchesFor(context, fits[0], count, "samples"), size),
  ];
  const report = context.progress("drawing samples", fits.length);
  for (const { title, model } of fits) {
    const drawn = await sample(runner, model.transform, count, seed, { signal });
    figures.push(mosaicOf(title, Float32Array.from(drawn), size));
    report(figures.length - 1);
  }
  return {
    fits,
    numbers: [],
    blocks: [
      {
        kind: "figures",
        figures,
        caption: `${count} random patches of the images that were fitted to (${patchWords({ quick })}), and ${count} draws from each density, seed ${seed}; all with the same greys, linear light through the sRGB curve. The paper shows photographs, ICA-MG and GDN, and says what to look for: many draws of GDN are nearly constant, as patches of photographs are, and the others have sparse, organic structures; those of ICA-MG are random mixtures of oriented elements. In RG one norm rules all responses, the brightness included: hence so much black and white.`,
      },
    ],
  };
}

function mosaicOf(title: string, values: Float32Array, size: number): Figure {
  const zoom = Math.max(1, Math.floor(pictureWidth / columns / size));
  // Lines of grey: draws may be all white.
  const layout = { size, columns, zoom, lines: 0.5 };
  const mosaic = patchMosaic(asDisplayed(values), { ...layout, black: 0, white: 1 });
  return { ...pictureOf(mosaic, `${count} patches: ${title}.`), caption: title };
}
