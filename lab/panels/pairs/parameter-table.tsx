/** The parameters of a fitted layer. */
import type { VNode } from "preact";
import { short } from "../../components/numbers.js";

const symbols: Readonly<Record<string, string>> = {
  H: "H",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  epsilon: "ε",
};

interface ParameterTableProps {
  readonly title: string;
  readonly parameters: Readonly<Record<string, Float64Array>>;
}

/** Matrices as two rows, what is tied as one number. */
export function ParameterTable({ title, parameters }: ParameterTableProps): VNode {
  return (
    <details open>
      <summary>Parameters</summary>
      <table aria-label={`Parameters of ${title}`}>
        <tbody>
          {Object.entries(parameters).flatMap(([name, values]) =>
            rowsOf(values).map((row, k) => (
              <tr>
                <th scope="row">{nameOf(name, values.length, k)}</th>
                {row.map((value) => (
                  <td>{short(value)}</td>
                ))}
              </tr>
            )),
          )}
        </tbody>
      </table>
    </details>
  );
}

function rowsOf(values: Float64Array): number[][] {
  const all = Array.from(values);
  return all.length === 4 ? [all.slice(0, 2), all.slice(2)] : [all];
}

/** The α that all components share is the p of L_p. */
function nameOf(name: string, count: number, row: number): string {
  const symbol = symbols[name] ?? name;
  if (name === "alpha" && count === 1) return `p = ${symbol}`;
  const index = ["₁", "₂"][row];
  return count === 4 ? `${symbol}${index}` : symbol;
}
