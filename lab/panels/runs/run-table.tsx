import type { VNode } from "preact";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Wide } from "../../components/panel.js";
import type { RunDescription, RunStatus } from "../../../src/runs/run-description.js";
import type { MetricsRecord } from "../../../src/runs/run-metrics.js";

interface RunTableProps {
  readonly runs: readonly RunDescription[];
  readonly chosen: readonly string[];
  readonly onChoose: (name: string, isChosen: boolean) => void;
  /** No more can be chosen. */
  readonly isFull: boolean;
}

const statusTexts: Readonly<Record<RunStatus, string>> = {
  running: "running",
  done: "done",
  interrupted: "interrupted",
};

/** Every run with its last figures; boxes choose what is compared. */
export function RunTable({ runs, chosen, onChoose, isFull }: RunTableProps): VNode {
  return (
    <Wide label="Table of runs">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Steps
            </th>
            <th scope="col" class="number">
              ΔJ
            </th>
            <th scope="col" class="number">
              ΔJ held out
            </th>
            <th scope="col">Last written</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.name}>
              <th scope="row">
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.includes(run.name)}
                    disabled={isFull && !chosen.includes(run.name)}
                    onChange={({ currentTarget }) => {
                      onChoose(run.name, currentTarget.checked);
                    }}
                  />
                  <span>{run.name}</span>
                </label>
              </th>
              <td>{statusTexts[run.status]}</td>
              <td class="number">{stepsOf(run)}</td>
              <td class="number">{differenceOf(run.lastStep)}</td>
              <td class="number">{differenceOf(run.lastHeldOut)}</td>
              <td>{timeOf(run.modified)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function stepsOf({ config, lastStep, lastHeldOut }: RunDescription): string {
  const done = Math.max(lastStep?.step ?? 0, lastHeldOut?.step ?? 0);
  const asked = typeof config.steps === "number" ? ` of ${thousands(config.steps)}` : "";
  return `${thousands(done)}${asked}`;
}

function differenceOf(record: MetricsRecord | null): string {
  return record ? fixed(record.negentropyDifferencePerDimension, 4) : "–";
}

/** 2026-11-16 16:04, as clocks here have it. */
function timeOf(modified: number): string {
  const date = new Date(modified - 60_000 * new Date(modified).getTimezoneOffset());
  return date.toISOString().slice(0, 16).replace("T", " ");
}
