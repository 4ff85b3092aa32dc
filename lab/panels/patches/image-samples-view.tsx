/** An image drawn from a density of whole images, beside a part of the picture. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import type { DrawnImage } from "./image-samples-job.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import { DrawControls, clippedText, scaleOf } from "./samples-view.js";

/** Milliseconds that the temperature must rest, because a large model takes seconds to sample. */
const rest = 300;

export function ImageSamplesView(props: ViewProps): VNode {
  const { state, model, title, picture } = props;
  const { seed, temperature } = state;
  const draw = useJob("drawImage", { model, seed, temperature }, rest);
  const cut = useJob("cutImage", picture && { model, picture });
  return (
    <>
      <DrawControls {...props} />
      <div class="figures">
        <JobOutput
          job={draw}
          label={`Sampling from ${title}`}
          part={draw.report}
          waiting={<div class="square waiting" />}
        >
          {(drawn) => (
            <Figure caption={captionOf(drawn)}>
              <Picture bitmap={drawn.bitmap} description={`Sample of ${drawn.title}`} />
            </Figure>
          )}
        </JobOutput>
        <JobOutput
          job={cut}
          label="Cutting the picture"
          waiting={<div class="square waiting">{!picture && "Loading the picture …"}</div>}
        >
          {(bitmap) => (
            <Figure
              caption={`For comparison: ${bitmap.width}×${bitmap.height} pixels in the middle of the picture${scaleOf(temperature)}.`}
            >
              <Picture bitmap={bitmap} description="Middle of the picture" />
            </Figure>
          )}
        </JobOutput>
      </div>
    </>
  );
}

function captionOf({ title, seed, temperature, bitmap, clipped }: DrawnImage): string {
  const drawn = `A sample of ${title}: ${bitmap.width}×${bitmap.height} pixels, seed ${seed}, temperature ${fixed(temperature, 2)}.`;
  return clipped ? `${drawn} ${clippedText(clipped, temperature)}` : drawn;
}
