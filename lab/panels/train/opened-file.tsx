/** A model or a checkpoint dropped on the panel. */
import type { VNode } from "preact";
import { useCallback } from "preact/hooks";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { checkFile } from "../../check-file.js";
import { Button } from "../../components/controls.js";
import { RunPictures } from "../../components/run-pictures.js";
import type { FactsOf } from "../../compute/check-file-job.js";
import { type NamedFile, namedFile } from "../../named-file.js";
import { useDropped } from "../../use-dropped.js";
import { namesOfPictures } from "./picture-paths.js";
import type { CheckpointFiles } from "./train-job.js";

export interface Opened {
  readonly key: string;
  readonly files: CheckpointFiles;
  readonly facts: FactsOf<"patch model" | "image model" | "checkpoint">;
}

const place = "opened";

/** A file that cannot be read does not replace the previous one. */
export function useOpenedFile() {
  const dropped = useDropped<Opened | null>(null);
  const { take, change, discard } = dropped;
  const open = useCallback((files: CheckpointFiles | null) => {
    const read = async (given: CheckpointFiles) => {
      const input = { ...namedFile(given.file), config: given.config };
      const facts = await checkFile(["patch model", "image model", "checkpoint"], input);
      return () => ({ key: input.key, files: given, facts });
    };
    take(files ? [{ file: files.file, place, read: () => read(files) }] : []);
  }, []);
  const close = useCallback(() => {
    discard(place);
    change(() => null);
    take([]);
  }, []);
  /** Undoes a close, unless another file was opened since. */
  const reopen = (before: Opened): void => {
    change((now) => now ?? before);
  };
  return { ...dropped, opened: dropped.held, open, close, reopen };
}

interface OpenedFileProps {
  readonly opened: Opened;
  readonly onClose: () => void;
  /** Null while a fit is running or pictures are read. */
  readonly onResume: ((terms: FitTerms) => void) | null;
}

export function OpenedFile({ opened, onClose, onResume }: OpenedFileProps): VNode {
  const { key, facts, files } = opened;
  const { name } = files.file;
  return (
    <section class="train-opened" aria-label={`Opened ${name}`}>
      <header>
        <h2>{name}</h2>
        <Button onClick={onClose}>Close</Button>
      </header>
      {facts.kind !== "checkpoint" ? (
        <ModelFacts facts={facts} model={{ key, file: files.file }} />
      ) : (
        <>
          <p>
            Checkpoint of a fit: {wordsOf(facts)}. To resume, it needs the same pictures:{" "}
            {namesOfPictures(facts.terms.images)}.
          </p>
          <Button isMain disabled={onResume === null} onClick={() => onResume?.(facts.terms)}>
            Resume from this checkpoint
          </Button>
        </>
      )}
    </section>
  );
}

interface ModelFactsProps {
  readonly facts: FactsOf<"patch model" | "image model">;
  readonly model: NamedFile;
}

function ModelFacts({ facts, model }: ModelFactsProps): VNode {
  return (
    <>
      <dl>
        {facts.about.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {facts.kind === "patch model" ? (
        <RunPictures source={{ ...model, kind: "file", name: model.file.name }} seed={1} />
      ) : (
        <p>This is a model of whole images. Drop it on Runs to see its filters and a sample.</p>
      )}
    </>
  );
}

function wordsOf({ terms, step }: FactsOf<"checkpoint">): string {
  const { model, patch, steps, images, poolRank = 0, layers = 1, couplings = 0 } = terms;
  const { components = 1, symmetric = false } = terms;
  const parts = [
    model,
    `${patch}×${patch} pixels`,
    ...(layers > 1 ? [`${layers} layers`] : []),
    ...(couplings > 0 ? ["with couplings"] : []),
    ...(poolRank > 0 ? [`pools of rank ${poolRank}`] : []),
    ...(components > 1 ? [`${components} components`] : []),
    ...(symmetric ? ["symmetric"] : []),
    images.length === 1 ? "1 picture" : `${images.length} pictures`,
  ];
  return `${parts.join(", ")}; ${step} of ${steps} steps done`;
}
