/** Filters and samples of one model. */
import type { VNode } from "preact";
import { useJob } from "../use-job.js";
import { Notice } from "./notice.js";
import { Figure } from "./panel.js";
import { Picture } from "./picture.js";
import { Progress } from "./progress.js";

/** A dropped file, or the model of a run in a certain state. */
export type ModelSource =
  | { readonly kind: "file"; readonly name: string; readonly file: File }
  | {
      readonly kind: "run";
      readonly name: string;
      readonly version: string;
      /** Where its server has it. */
      readonly address: string;
    };

interface RunPicturesProps {
  readonly source: ModelSource;
  readonly seed: number;
  /** Default true: filters beside the samples. */
  readonly hasFilters?: boolean;
}

/** Pictures of a run stay until those of its next state are there; those of another model never do. */
export function RunPictures(props: RunPicturesProps): VNode {
  const { source } = props;
  const model = source.kind === "file" ? keyOfFile(source.file) : `run ${source.name}`;
  return <PicturesOfOne key={model} {...props} model={model} />;
}

function PicturesOfOne(props: RunPicturesProps & { readonly model: string }): VNode {
  const { source, seed, hasFilters = true, model } = props;
  const { name } = source;
  const [file, version] =
    source.kind === "file" ? [source.file, ""] : [source.address, source.version];
  const { output, problem } = useJob(
    "showModel",
    { file, name, seed },
    JSON.stringify([model, version, seed]),
  );
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  if (!output) return <Progress label={`Drawing from ${name}`} part={null} />;
  const { title, steps, filters, samples, sampled, notes } = output;
  const after = steps === null ? "" : ` after ${steps.toLocaleString("en")} steps`;
  return (
    <>
      <div class="figures">
        {hasFilters && filters && (
          <Figure caption={`Filters of ${name} (${title})${after}, each in its own greys.`}>
            <Picture bitmap={filters} description={`Filters of ${name}`} />
          </Figure>
        )}
        {samples && (
          <Figure caption={`${sampled} from its density, seed ${output.seed}.`}>
            <Picture bitmap={samples} description={`Samples of ${name}`} />
          </Figure>
        )}
      </div>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </>
  );
}

const keys = new WeakMap<File, string>();
let lastKey = 0;

/** Files of the same name may be different models. */
function keyOfFile(file: File): string {
  const key = keys.get(file) ?? `file ${++lastKey}`;
  keys.set(file, key);
  return key;
}
