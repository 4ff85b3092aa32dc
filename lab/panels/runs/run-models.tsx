/** Filters and samples of one run, or of two side by side. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { RunDescription } from "../../../src/runs/run-description.js";
import { Button } from "../../components/controls.js";
import { Notice } from "../../components/notice.js";
import { type RunModel, RunPictures } from "../../components/run-pictures.js";
import { handOver } from "../../current-address.js";
import { sentenceOf } from "../../problem.js";
import { modelAddress } from "./use-runs.js";

interface RunModelsProps {
  /** A dropped model, which is shown instead of the first run. */
  readonly dropped: RunModel | null;
  readonly first: RunDescription | undefined;
  readonly second: RunDescription | undefined;
  readonly seed: number;
}

export function RunModels({ dropped, first, second, seed }: RunModelsProps): VNode {
  const shown = dropped ?? sourceOf(first);
  const parts = [
    <OneModel key="first" model={shown} name={first?.name} seed={seed} />,
    ...(second
      ? [<OneModel key="second" model={sourceOf(second)} name={second.name} seed={seed} />]
      : []),
  ];
  return <div class={second ? "run-models beside" : "run-models"}>{parts}</div>;
}

interface OneModelProps {
  readonly model: RunModel | null;
  readonly name: string | undefined;
  readonly seed: number;
}

function OneModel({ model, name, seed }: OneModelProps): VNode | null {
  const [problem, setProblem] = useState<string | null>(null);
  if (!model) {
    return name === undefined ? null : (
      <p>{name} has no model yet. It appears after the first steps.</p>
    );
  }
  const open = (): void => {
    fileOf(model).then(
      (file) => {
        setProblem(null);
        handOver("patches", file);
      },
      (error: unknown) => {
        setProblem(sentenceOf(error));
      },
    );
  };
  return (
    <section class="run-model" aria-label={`Model of ${model.name}`}>
      <div class="buttons">
        <Button onClick={open}>Open {model.name} in Patches</Button>
      </div>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <RunPictures source={model} seed={seed} />
    </section>
  );
}

async function fileOf(model: RunModel): Promise<File> {
  if (model.kind !== "run") return model.file;
  const response = await fetch(model.address);
  if (!response.ok) throw new Error(await response.text());
  return new File([await response.blob()], `${model.name.replaceAll("/", "-")}.safetensors`);
}

function sourceOf(run: RunDescription | undefined): RunModel | null {
  if (typeof run?.model !== "string") return null;
  const { name, model: version } = run;
  return { kind: "run", name, version, address: modelAddress(name) };
}
