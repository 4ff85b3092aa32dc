/** §4.2, "Sampling", and its figure: patches of photographs, and samples of the models. */
import { sample } from "../src/density/synthesis.js";
import type { Figure } from "../src/figures/report-blocks.js";
import { prose } from "../src/figures/report-text.js";
import type { Experiment, ExperimentResult, PaperContext } from "./experiment.js";
import { sampleFigure, shownSamples } from "./parts/model-figures.js";
import { fitPatchModels, patchWords, patchesFor } from "./parts/patch-models.js";

export const samples: Experiment = {
  name: "samples",
  title: "Samples",
  section: "§4.2, “Sampling”, figure with sample image patches",
  data: ["kodak"],
  minutes: { full: 3, quick: 1 },
  run,
};

async function run(context: PaperContext): Promise<ExperimentResult> {
  const { runner, seed, signal, quick } = context;
  const fits = await fitPatchModels(context);
  const figures: Figure[] = [
    sampleFigure("Photographs", await patchesFor(context, fits[0], shownSamples, "samples")),
  ];
  const report = context.progress("drawing samples", fits.length);
  for (const { title, model } of fits) {
    const drawn = await sample(runner, model.transform, shownSamples, seed, { signal });
    figures.push(sampleFigure(title, Float32Array.from(drawn)));
    report(figures.length - 1);
  }
  return {
    fits,
    numbers: [],
    blocks: [
      {
        kind: "figures",
        figures,
        caption: prose`
          ${shownSamples} random patches of the training images (${patchWords({ quick })}), and
          ${shownSamples} draws from each density, seed ${seed}. All have the same grey scale:
          linear light, displayed in sRGB. The paper shows photographs, ICA-MG and GDN, and says
          what to look for. Many draws of GDN are nearly constant, as patches of photographs are,
          and the others have sparse, organic structures. Draws of ICA-MG are random mixtures of
          oriented elements. In RG, one norm scales all responses, including brightness; therefore
          many draws are black or white.
        `,
      },
    ],
  };
}
