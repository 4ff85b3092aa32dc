/** What came out, in numbers. */
import type { VNode } from "preact";
import { fixed, grouped } from "../../components/numbers.js";
import { Wide } from "../../components/wide.js";
import type { PairFitMap } from "./pair-fits.js";
import type { PairModel } from "./pair-models.js";
import type { PairView } from "./view-pairs-job.js";

interface ResultsTableProps {
  readonly models: readonly PairModel[];
  readonly view: PairView;
  readonly fits: PairFitMap;
}

export function ResultsTable({ models, view, fits }: ResultsTableProps): VNode {
  return (
    <Wide label="Results in numbers">
      <table>
        <thead>
          <tr>
            <th scope="col">model</th>
            <th scope="col">ΔJ, nats</th>
            <th scope="col">mutual information, bits</th>
            <th scope="col">seconds</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">none ({grouped(view.count)} pairs)</th>
            <td>{fixed(0, 4)}</td>
            <td>{fixed(view.informationInBits, 4)}</td>
            <td>–</td>
          </tr>
          {models.map(({ name, title }) => (
            <Row title={title} result={fits.get(name)?.result ?? null} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

type Result = NonNullable<ReturnType<PairFitMap["get"]>>["result"];

function Row({ title, result }: { readonly title: string; readonly result: Result }): VNode {
  const cells = result
    ? [
        fixed(result.negentropyInNats, 4),
        `${fixed(result.informationInBits, 4)} ± ${fixed(result.informationErrorInBits, 4)}`,
        fixed(result.seconds, 1),
      ]
    : ["–", "–", "–"];
  return (
    <tr>
      <th scope="row">{title}</th>
      {cells.map((cell) => (
        <td>{cell}</td>
      ))}
    </tr>
  );
}
