/** A model or a checkpoint that was dropped on the panel. */
import type { VNode } from "preact";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { Button } from "../../components/controls.js";
import { RunPictures } from "../../components/run-pictures.js";
import type { OpenedCheckpoint, OpenedModel } from "./open-file-job.js";
import { namesOfPictures } from "./picture-paths.js";
import type { Opened } from "./use-opened-file.js";

interface OpenedFileProps {
  readonly opened: Opened;
  readonly onClose: () => void;
  /** With the terms of the checkpoint; null while a fit is running, and while pictures are read. */
  readonly onGoOn: ((terms: FitTerms) => void) | null;
}

export function OpenedFile({ opened, onClose, onGoOn }: OpenedFileProps): VNode {
  const { content, files } = opened;
  return (
    <section class="train-opened" aria-label={`Opened ${content.name}`}>
      <header>
        <h2>{content.name}</h2>
        <Button onClick={onClose}>Close</Button>
      </header>
      {content.kind === "model" ? (
        <ModelFacts content={content} file={files.file} />
      ) : (
        <>
          <p>
            The checkpoint of a fit: {wordsOf(content)}. It goes on with the same pictures, which
            must be here: {namesOfPictures(content.terms.images)}.
          </p>
          <Button isMain disabled={onGoOn === null} onClick={() => onGoOn?.(content.terms)}>
            Go on from this checkpoint
          </Button>
        </>
      )}
    </section>
  );
}

interface ModelFactsProps {
  readonly content: OpenedModel;
  readonly file: File;
}

function ModelFacts({ content, file }: ModelFactsProps): VNode {
  return (
    <>
      <dl>
        {content.facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {content.isOfPatches ? (
        <RunPictures source={{ kind: "file", name: content.name, file }} seed={1} />
      ) : (
        <p>A density of whole images: its filters are not shown here.</p>
      )}
    </>
  );
}

function wordsOf({ terms, step }: OpenedCheckpoint): string {
  const { model, patch, steps, images, poolRank = 0, layers = 1 } = terms;
  const parts = [
    ...[model, `${patch}×${patch} pixels`],
    ...(layers > 1 ? [`${layers} layers`] : []),
    ...(poolRank > 0 ? [`pools of rank ${poolRank}`] : []),
    images.length === 1 ? "1 picture" : `${images.length} pictures`,
  ];
  return `${parts.join(", ")}; ${step} of ${steps} steps are done`;
}
