/** The table of all runs: progress, latest figures, and boxes to choose those that are compared. */
import type { VNode } from "preact";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import type { RunDescription } from "../../../src/runs/run-description.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";
import { classOf } from "../../components/charts/chart-frame.js";
import { Wide } from "../../components/panel.js";
import { durationText } from "../../duration.js";
import { type Direction, type SortKey, progressOf } from "./run-order.js";

interface RunTableProps {
  /** In the order of the table. */
  readonly runs: readonly RunDescription[];
  readonly chosen: readonly string[];
  /** Names of the runs with a curve, in the order of their colours. */
  readonly drawn: readonly string[];
  readonly onChoose: (name: string, isChosen: boolean) => void;
  /** No more runs can be chosen. */
  readonly isFull: boolean;
  readonly sort: SortKey;
  readonly direction: Direction;
  readonly onSort: (sort: SortKey, direction: Direction) => void;
}

interface Heading {
  readonly key: SortKey;
  readonly text: string;
  readonly isNumber?: boolean;
  /** Direction of the first click: lower ΔJ is better, and late runs come first. */
  readonly first?: Direction;
}

const headings: readonly Heading[] = [
  { key: "name", text: "Run" },
  { key: "state", text: "State" },
  { key: "steps", text: "Steps", isNumber: true, first: "down" },
  { key: "left", text: "Time left", isNumber: true },
  { key: "difference", text: "ΔJ", isNumber: true },
  { key: "heldout", text: "ΔJ held out", isNumber: true },
  { key: "written", text: "Last written", first: "down" },
];

export function RunTable(props: RunTableProps): VNode {
  return (
    <Wide label="Table of runs">
      <table class="runs">
        <thead>
          <tr>
            {headings.map((heading) => (
              <SortHeading key={heading.key} heading={heading} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {props.runs.map((run) => (
            <RunRow key={run.name} run={run} {...props} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

interface SortHeadingProps extends RunTableProps {
  readonly heading: Heading;
}

function SortHeading({ heading, sort, direction, onSort }: SortHeadingProps): VNode {
  const { key, text, isNumber = false, first = "up" } = heading;
  const isSorted = key === sort;
  const other = direction === "up" ? "down" : "up";
  const sorting = direction === "up" ? "ascending" : "descending";
  return (
    <th scope="col" class={isNumber ? "number" : ""} {...(isSorted && { "aria-sort": sorting })}>
      <button
        type="button"
        class="sort"
        onClick={() => {
          onSort(key, isSorted ? other : first);
        }}
      >
        {text}
        <span aria-hidden="true">{isSorted ? (direction === "up" ? " ▲" : " ▼") : ""}</span>
      </button>
    </th>
  );
}

interface RunRowProps extends RunTableProps {
  readonly run: RunDescription;
}

function RunRow({ run, chosen, drawn, onChoose, isFull }: RunRowProps): VNode {
  const { name, status, lastStep, lastHeldOut, modified } = run;
  const isChosen = chosen.includes(name);
  const rank = drawn.indexOf(name);
  return (
    <tr>
      <th scope="row">
        <label class="check">
          <input
            type="checkbox"
            checked={isChosen}
            disabled={isFull && !isChosen}
            onChange={({ currentTarget }) => {
              onChoose(name, currentTarget.checked);
            }}
          />
          <span>{name}</span>
          <svg class="swatch" width="22" height="10" aria-hidden="true">
            {rank >= 0 && <path class={`line ${classOf({ rank })}`} d="M1,5H21" />}
          </svg>
        </label>
      </th>
      <td>{status}</td>
      <td class="number">
        <Steps run={run} />
      </td>
      <td class="number">{timeLeft(run)}</td>
      <td class="number">{differenceOf(lastStep)}</td>
      <td class="number">{differenceOf(lastHeldOut)}</td>
      <td>{timeOf(modified)}</td>
    </tr>
  );
}

/** "120 of 1,000", with a bar while the fit runs. */
function Steps({ run }: { readonly run: RunDescription }): VNode {
  const { done, of } = progressOf(run);
  return (
    <>
      {`${thousands(done)}${of === null ? "" : ` of ${thousands(of)}`}`}
      {run.status === "running" && of !== null && (
        <progress
          class="run-progress"
          aria-label={`Progress of ${run.name}`}
          value={done}
          max={of}
        />
      )}
    </>
  );
}

function timeLeft(run: RunDescription): string {
  const { secondsLeft } = progressOf(run);
  if (secondsLeft !== null) return durationText(secondsLeft);
  return run.status === "running" ? "…" : "–";
}

function differenceOf(record: MetricsRecord | null): string {
  return record ? fixed(record.negentropyDifferencePerDimension, 4) : "–";
}

/** Local time, as 2026-11-16 16:04. */
function timeOf(modified: number): string {
  const date = new Date(modified - 60_000 * new Date(modified).getTimezoneOffset());
  return date.toISOString().slice(0, 16).replace("T", " ");
}
