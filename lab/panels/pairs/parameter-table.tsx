/** The parameters of a layer, while it is fitted and after. */
import type { VNode } from "preact";
import { compact } from "../../../src/numbers/format-number.js";
import type { PairModel } from "./pair-models.js";
import type { PairParameters, ParameterCounts } from "./pair-parameters.js";

const symbols: Readonly<Record<string, string>> = {
  H: "H",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
};

interface ParameterTableProps {
  readonly model: PairModel;
  readonly counts: ParameterCounts;
  /** Null before the first fit: its rows are there all the same, so that nothing jumps. */
  readonly parameters: PairParameters | null;
}

/** Matrices as two rows, what is tied as one number. */
export function ParameterTable({ model, counts, parameters }: ParameterTableProps): VNode {
  return (
    <details open>
      <summary>Parameters</summary>
      <table class="pair-parameters" aria-label={`Parameters of ${model.title}`}>
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

/** Places of the values. */
function rowsOf(count: number): number[][] {
  const all = Array.from({ length: count }, (_, at) => at);
  return count === 4 ? [all.slice(0, 2), all.slice(2)] : [all];
}

/** The α that all components share is the p of L_p. */
function nameOf(name: string, count: number, row: number): string {
  const symbol = symbols[name] ?? name;
  if (name === "alpha" && count === 1) return `p = ${symbol}`;
  const index = ["₁", "₂"][row];
  return count === 4 ? `${symbol}${index}` : symbol;
}
