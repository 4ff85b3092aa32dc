/** Filters and samples of a model. */
import type { VNode } from "preact";
import { thousands } from "../../src/numbers/format-number.js";
import type { NamedFile } from "../named-file.js";
import { useJob } from "../use-task.js";
import { Notice } from "./notice.js";
import { Figure } from "./panel.js";
import { Picture } from "./picture.js";
import { Progress } from "./progress.js";

/** A dropped file, or one version of the model of a run. */
export type RunModel =
  | (NamedFile & { readonly kind: "file"; readonly name: string })
  | {
      readonly kind: "run";
      readonly name: string;
      readonly version: string;
      /** URL of the file. */
      readonly address: string;
    };

interface RunPicturesProps {
  readonly source: RunModel;
  readonly seed: number;
  /** Whether to show filters beside the samples; default true. */
  readonly hasFilters?: boolean;
}

/** Keeps the pictures of a run until those of its next version are ready. */
export function RunPictures(props: RunPicturesProps): VNode {
  const { source } = props;
  const model = source.kind === "file" ? source.key : `run ${source.name}`;
  return <PicturesOfOne key={model} {...props} />;
}

function PicturesOfOne({ source, seed, hasFilters = true }: RunPicturesProps): VNode {
  const { name } = source;
  const model =
    source.kind === "file"
      ? { key: source.key, file: source.file }
      : { key: source.version, file: source.address };
  const { output, problem } = useJob("showModel", { ...model, name, seed });
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  if (!output) return <Progress label={`Sampling from ${name}`} part={null} />;
  const { title, steps, filters, samples, sampled, notes } = output;
  const after = steps === null ? "" : ` after ${thousands(steps)} steps`;
  return (
    <>
      <div class="figures">
        {hasFilters && filters && (
          <Figure caption={`Filters of ${name} (${title})${after}, each with its own grey scale.`}>
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
