import type { VNode } from "preact";
import { Wide } from "../../components/wide.js";
import type { RunDescription } from "../../../src/runs/run-description.js";
import { differingSettings } from "./differing-settings.js";

/** What the chosen runs were asked for, side by side, as far as it differs. */
export function RunSettings({ runs }: { readonly runs: readonly RunDescription[] }): VNode {
  const settings = differingSettings(runs);
  if (settings.length === 0) return <p>All settings of the chosen runs are the same.</p>;
  return (
    <Wide label="Settings that differ">
      <table>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            {runs.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {settings.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, k) => (
                <td key={runs[k].name}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
