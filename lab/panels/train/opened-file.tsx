/** A model or a checkpoint that was dropped on the panel. */
import type { VNode } from "preact";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { Button } from "../../components/controls.js";
import { RunPictures } from "../../components/run-pictures.js";
import type { OpenedCheckpoint, OpenedModel } from "./open-file-job.js";
import type { CheckpointFiles } from "./train-job.js";

export interface Opened {
  readonly files: CheckpointFiles;
  readonly content: OpenedModel | OpenedCheckpoint;
}

interface OpenedFileProps {
  readonly opened: Opened;
  readonly onClose: () => void;
  /** Null while a fit is running. */
  readonly onGoOn: ((from: CheckpointFiles, terms: FitTerms) => void) | null;
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
            The checkpoint of a fit: {wordsOf(content.terms)}. It goes on with the same pictures,
            which must be here: {listed(content.terms.images)}.
          </p>
          <Button isMain disabled={onGoOn === null} onClick={() => onGoOn?.(files, content.terms)}>
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

function wordsOf({ model, patch, steps, images }: FitTerms): string {
  return `${model}, ${patch}×${patch} pixels, ${steps} steps, ${images.length} pictures`;
}

function listed(paths: readonly string[]): string {
  const names = paths.slice(0, 8).map((path) => path.replace(/^.*[/\\]/, ""));
  const more = paths.length > 8 ? ` and ${paths.length - 8} more` : "";
  return `${names.join(", ")}${more}`;
}
