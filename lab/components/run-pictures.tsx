/** Filters and samples of a model. */
import type { VNode } from "preact";
import { thousands } from "../../src/numbers/format-number.js";
import type { NamedFile } from "../named-file.js";
import { useJob } from "../use-task.js";
import { Notice } from "./notice.js";
import { Figure } from "./panel.js";
import { Picture } from "./picture.js";
import { Progress } from "./progress.js";

/** A dropped file, the model of a fit on this page so far, or one version of the model of a run. */
export type RunModel =
  | (NamedFile & { readonly kind: "file" | "growing"; readonly name: string })
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
  const model = keyOf(source);
  return <PicturesOfOne key={model} {...props} />;
}

/** Versions of the same model have the same key. */
function keyOf(source: RunModel): string {
  if (source.kind === "growing") return "growing";
  return source.kind === "file" ? source.key : `run ${source.name}`;
}

function PicturesOfOne({ source, seed, hasFilters = true }: RunPicturesProps): VNode {
  const { name } = source;
  const model =
    source.kind === "run"
      ? { key: source.version, file: source.address }
      : { key: source.key, file: source.file };
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
          <Figure
            caption={`${sampled} from its density${hasFilters ? "" : after}, seed ${output.seed}.`}
          >
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
