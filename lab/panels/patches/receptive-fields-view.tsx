/** Receptive fields of the second stage of a model of whole images. */
import type { VNode } from "preact";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import type { ViewedFields } from "./receptive-fields-job.js";

export function ReceptiveFields({ state, model, title, picture }: ViewProps): VNode {
  const hasRoots = state.greys === "roots";
  const job = useJob("viewReceptiveFields", picture && { model, picture, hasRoots });
  return (
    <JobOutput
      job={job}
      label={`Finding the receptive fields of ${title}`}
      part={job.report}
      waiting={<div class="square waiting">{!picture && "Loading the picture …"}</div>}
    >
      {(fields) => (
        <Figure caption={captionOf(fields)}>
          <Picture bitmap={fields.bitmap} description={`Receptive fields of ${fields.title}`} />
        </Figure>
      )}
    </JobOutput>
  );
}

function captionOf({ title, hasRoots, count, width, height }: ViewedFields): string {
  return `The ${count} receptive fields of ${width}×${height} pixels in the second stage of ${title}, in the order of its maps: the weights of the pixels, with the division of the first stage replaced by a factor for each map, fitted to the picture. Each field has its own grey scale${hasRoots ? " of square roots" : ""}; mid-grey is 0.`;
}
