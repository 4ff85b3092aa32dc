/** A filter, and the pool that divides its response. */
import type { VNode } from "preact";
import type { FilterShape } from "../../../src/evaluation/filter-shapes.js";
import { compact, fixed, percent } from "../../../src/numbers/format-number.js";
import { Wide } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { Picture } from "../../components/picture.js";
import type { NamedFile } from "../../named-file.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import type { ModelSource } from "./model-source.js";
import type { FilterPool, PoolMember } from "./pool-job.js";

interface PoolViewProps {
  readonly model: ModelSource;
  /** Null while it loads. */
  readonly picture: NamedFile | null;
  /** Row of H, or map of a convolution. */
  readonly filter: number;
  /** Whether greys show square roots of weights. */
  readonly hasRoots: boolean;
  /** Whether the filters still belong to the model before; the pool then waits. */
  readonly areFiltersOld: boolean;
  readonly onChoose: (filter: number) => void;
}

export function PoolView(props: PoolViewProps): VNode {
  const { model, picture, filter, hasRoots, areFiltersOld, onChoose } = props;
  const isReady = picture !== null && !areFiltersOld;
  const job = useJob("viewPool", isReady ? { model, picture, filter, hasRoots } : null);
  return (
    <JobOutput
      job={job}
      label="Finding the filters that normalise it"
      waiting={<div class="pool waiting">{!picture && "Loading the picture …"}</div>}
    >
      {(pool) => <Pool pool={pool} onChoose={onChoose} />}
    </JobOutput>
  );
}

interface PoolProps extends Pick<PoolViewProps, "onChoose"> {
  readonly pool: FilterPool;
}

function Pool({ pool, onChoose }: PoolProps): VNode {
  return (
    <section class="pool" aria-label={`Filter ${pool.filter}`}>
      <div class="pool-head">
        <Picture bitmap={pool.picture.bitmap} description={`Filter ${pool.filter}`} />
        <div>
          <h2>Filter {pool.filter}</h2>
          <p>{shapeText(pool.own.shape)}</p>
          <Parameters pool={pool} />
        </div>
      </div>
      <p class="pool-words">{wordsOf(pool)}</p>
      {pool.neighbours && (
        <PatchGrid
          caption="The other filters with the largest shares of its divisor, in decreasing order. Choose one to go to it."
          bitmap={pool.neighbours.bitmap}
          columns={pool.neighbours.columns}
          chosen={[]}
          items={pool.members}
          label="Filters that normalise it"
          nameOf={memberText}
          onChoose={({ filter }) => {
            onChoose(filter);
          }}
        />
      )}
      <MemberTable pool={pool} />
    </section>
  );
}

function Parameters({ pool }: { readonly pool: FilterPool }): VNode {
  const { own, beta, epsilon } = pool;
  return (
    <dl class="parameters">
      {Object.entries({ α: own.alpha, β: beta, ε: epsilon }).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <data value={value}>{compact(value)}</data>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function MemberTable({ pool }: { readonly pool: FilterPool }): VNode {
  const rows: readonly (readonly [string, PoolMember])[] = [
    ["itself", pool.own],
    ...pool.members.map((member) => [`filter ${member.filter}`, member] as const),
  ];
  return (
    <Wide label="Weights of the pool">
      <table class="members">
        <caption>
          Shares of the divisor of its response: first of the filter itself, then of other filters,
          in decreasing order.
        </caption>
        <thead>
          <tr>
            <th scope="col">Divided by</th>
            {["γ", "α", "share"].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, { gamma, alpha, share }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">
                <data value={gamma}>{compact(gamma)}</data>
              </td>
              <td class="number">{compact(alpha)}</td>
              <td class="number">
                <data value={share}>{percent(share)}</data>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** "0.12 cycles per pixel, stripes at 45°" */
export function shapeText({ isDc, frequency, orientation, selectivity }: FilterShape): string {
  if (isDc) return "brightness";
  const stripes =
    selectivity < 0.3
      ? "no orientation"
      : `stripes at ${Math.round((180 * orientation) / Math.PI) % 180}°`;
  return `${fixed(frequency, 2)} cycles per pixel, ${stripes}`;
}

function memberText({ filter, shape, share }: PoolMember): string {
  return `Filter ${filter}, ${percent(share)} of the divisor: ${shapeText(shape)}`;
}

function wordsOf(found: FilterPool): string {
  const { structure, averagedOver, own, betaShare, othersShare } = found;
  const pool = `Shares of its pool, averaged over ${averagedOver} of the picture: β ${percent(betaShare)}, itself ${percent(own.share)}, all others ${percent(othersShare)}.`;
  if (structure === "marginal") {
    return `This model divides each response by itself alone (all other γ are 0). ${pool}`;
  }
  const isEqual = structure === "radial" || structure === "lp" || structure === "classic";
  return isEqual
    ? `${pool} This model weights all filters equally: one norm divides them all, and filters with larger responses have larger shares.`
    : pool;
}
