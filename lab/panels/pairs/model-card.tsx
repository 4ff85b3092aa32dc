/** Card of a model: its contours, the transformed pairs, its measures and parameters. */
import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { useWide } from "../../components/panel.js";
import { reach } from "../../plane/reach.js";
import { saveFile } from "../../save-file.js";
import { compact, fixed, thousands } from "../../../src/numbers/format-number.js";
import { type PairFit, resultOf } from "./pair-fits.js";
import type { PairFrame, PairParameters } from "./pair-frame.js";
import type { PairModel } from "./pair-models.js";
import { PairPlot } from "./pair-plot.js";
import type { PairView } from "./pairs-jobs.js";

interface ModelCardProps {
  readonly model: PairModel;
  readonly view: PairView;
  readonly fit: PairFit | undefined;
  readonly onFit: () => void;
}

export function ModelCard({ model, view, fit, onFit }: ModelCardProps): VNode {
  const frame = fit?.frames.at(-1);
  const result = resultOf(fit);
  const { title, about } = model;
  return (
    <section class="pair-card" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button onClick={onFit} disabled={fit?.state.status === "running"}>
          Fit<span class="unseen"> {title}</span>
        </Button>
      </header>
      <p>{fit ? statusOf(fit) : about}</p>
      <div class="pair-plots">
        <PairPlot
          points={view.shown}
          lines={[
            { path: view.contours, kind: "histogram" },
            { path: frame?.contours ?? "", kind: "model" },
          ]}
          description={dataWords(title, view, frame)}
        />
        <PairPlot
          points={frame?.y ?? view.shown}
          lines={[]}
          circles={[1, 2, 3]}
          description={cloudWords(title, view, frame)}
        />
      </div>
      <Measures fit={fit} view={view} />
      <ParameterTable
        title={title}
        counts={view.parameterCounts[model.name]}
        parameters={(result ?? frame)?.parameters ?? null}
      />
      <Button
        disabled={result === null}
        onClick={() => {
          if (result) saveFile(`pairs-${model.name}.safetensors`, result.modelFile);
        }}
      >
        Save<span class="unseen"> {title}</span> as a model file
      </Button>
    </section>
  );
}

/** Shows measures of all pairs after the fit, and of the shown pairs during it. */
function Measures({ fit, view }: Pick<ModelCardProps, "fit" | "view">): VNode {
  const result = resultOf(fit);
  const numbers = result ?? fit?.frames.at(-1);
  const shown = `for ${thousands(view.shown.length / 2)} of the pairs`;
  return (
    <>
      <dl>
        <dt>ΔJ</dt>
        <dd>{numbers ? `${fixed(numbers.negentropyInNats, 3)} nats` : "–"}</dd>
        <dt>
          <abbr title="mutual information">MI</abbr>
        </dt>
        <dd>{numbers ? informationText(numbers.informationInBits) : "–"}</dd>
      </dl>
      {/* The space reserves the line, so nothing moves when numbers appear. */}
      <p class="numbers-of">{numbers ? (result ? "for all pairs" : shown) : "\u00a0"}</p>
    </>
  );
}

/** An estimate below 0 means about 0. */
function informationText(bits: number): string {
  return `${fixed(bits, 3)}${bits < 0 ? " ≈ 0" : ""} bits`;
}

function statusOf({ state, frames, steps }: PairFit): string {
  const step = frames.at(-1)?.step ?? 0;
  switch (state.status) {
    case "idle":
    case "running":
      return `step ${step} of ${steps}`;
    case "done":
      return `${steps} steps, ${fixed(state.output.seconds, 1)} s`;
    case "cancelled":
    case "failed":
      return `${state.status} at step ${step}`;
  }
}

function dataWords(title: string, view: PairView, frame: PairFrame | undefined): string {
  const { shown, count, names } = view;
  const dots = `${thousands(shown.length / 2)} of ${thousands(count)} pairs as dots within ${reach} standard deviations, ${names[0]} horizontal, ${names[1]} vertical, with contours of their histogram`;
  if (!frame) return `${dots}.`;
  return `${dots} and of the density of ${title} after ${frame.step} steps.`;
}

function cloudWords(title: string, view: PairView, frame: PairFrame | undefined): string {
  const circles = "with circles of the standard normal distribution at radius 1, 2 and 3";
  if (!frame) return `The pairs before any transform, ${circles}.`;
  const measures = `ΔJ ${fixed(frame.negentropyInNats, 3)} nats, mutual information ${fixed(frame.informationInBits, 3)} bits (${fixed(view.informationInBits, 3)} before)`;
  return `The pairs after the transform of ${title}, ${circles}. After ${frame.step} steps: ${measures}.`;
}

const symbols: Readonly<Record<string, string>> = {
  H: "H",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
};

interface ParameterTableProps {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Null before the first fit; the rows then show dashes, so nothing moves later. */
  readonly parameters: PairParameters | null;
}

/** Shows a matrix as two rows, a tied parameter as one number. */
function ParameterTable({ title, counts, parameters }: ParameterTableProps): VNode {
  // On phones, four tables would stand between the plots.
  return (
    <details open={useWide()}>
      <summary>Parameters</summary>
      <table class="pair-parameters" aria-label={`Parameters of ${title}`}>
        <tbody>
          {Object.entries(counts).flatMap(([name, count]) =>
            rowsOf(count).map((row, k) => (
              <tr key={`${name} ${k}`}>
                <th scope="row">{nameOf(name, count, k)}</th>
                {row.map((at) => (
                  <td key={at} colSpan={row.length === 1 ? 2 : 1}>
                    {parameters ? compact(parameters[name][at]) : "–"}
                  </td>
                ))}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </details>
  );
}

/** Returns the indices of the values in each row. */
function rowsOf(count: number): number[][] {
  const all = Array.from({ length: count }, (_, at) => at);
  return count === 4 ? [all.slice(0, 2), all.slice(2)] : [all];
}

function nameOf(name: string, count: number, row: number): string {
  const symbol = symbols[name] ?? name;
  // The shared α of all components is the p of L_p.
  if (name === "alpha" && count === 1) return `p = ${symbol}`;
  return count === 4 ? `${symbol}${["₁", "₂"][row]}` : symbol;
}
