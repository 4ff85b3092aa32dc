/** Filters and samples of one model. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "../../components/notice.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { Progress } from "../../components/progress.js";
import { compute, isCancelled } from "../../compute/compute.js";
import { fetchModel } from "./runs-client.js";
import type { ModelPictures } from "./show-model-job.js";

/** A dropped file, or the model of a run in a certain state. */
export type ModelSource =
  | { readonly kind: "file"; readonly name: string; readonly file: File }
  | { readonly kind: "run"; readonly name: string; readonly version: string };

interface RunPicturesProps {
  readonly source: ModelSource;
  readonly seed: number;
  /** Default true: filters beside the samples. */
  readonly hasFilters?: boolean;
}

export function RunPictures({ source, seed, hasFilters = true }: RunPicturesProps): VNode {
  const [shown, setShown] = useState<ModelPictures | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { kind, name } = source;
  const state = source.kind === "file" ? source.file : source.version;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setProblem(null);
    picturesOf(source, seed, signal).then(setShown, (error: unknown) => {
      if (isCancelled(error)) return;
      setShown(null);
      setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => {
      controller.abort();
    };
  }, [kind, name, state, seed]);
  if (problem !== null) return <Notice kind="problem">{problem}</Notice>;
  if (!shown) return <Progress label={`Drawing from ${name}`} part={null} />;
  const { title, steps, filters, samples, sampled, notes } = shown;
  const after = steps === null ? "" : ` after ${steps.toLocaleString("en")} steps`;
  return (
    <>
      <div class="figures">
        {hasFilters && filters && (
          <Figure
            caption={`Filters of ${name} (${title})${after}, each in its own greys.`}
          >
            <Picture bitmap={filters} description={`Filters of ${name}`} />
          </Figure>
        )}
        {samples && (
          <Figure caption={`${sampled} from its density, seed ${seed}.`}>
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

async function picturesOf(
  source: ModelSource,
  seed: number,
  signal: AbortSignal,
): Promise<ModelPictures> {
  const { name } = source;
  const file = source.kind === "file" ? source.file : await fetchModel(name, signal);
  return compute("showModel", { file, name, seed }, { signal });
}
