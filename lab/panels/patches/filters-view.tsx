import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-job.js";
import type { ViewedFilters } from "./filters-job.js";
import { JobOutput } from "./job-output.js";
import { keyOfModel } from "./model-source.js";
import { PoolView } from "./pool-view.js";
import type { ViewProps } from "./view-props.js";
import { shapeText } from "./words.js";

export function FiltersView({ state, change, model, title, picture }: ViewProps): VNode {
  const { shown } = state;
  const input = useMemo(() => ({ model, shown }), [model, shown]);
  const job = useJob("viewFilters", input, `${keyOfModel(model)} ${shown}`);
  const { output } = job;
  const filter = output ? chosenFilter(output, state.filter) : null;
  const choose = (row: number): void => {
    change({ filter: row });
  };
  return (
    <div class="beside">
      <div>
        <Choice
          label="Shown as"
          value={shown}
          choices={[
            { value: "filters", label: "filters: the rows of H" },
            { value: "basis", label: "what each stands for: the columns of H⁻¹" },
          ]}
          onChange={(value) => {
            change({ shown: value });
          }}
        />
        <JobOutput job={job} label={`Looking at the filters of ${title}`}>
          {output && filter !== null ? (
            <Figure caption={captionOf(output)}>
              <PatchGrid
                {...{ bitmap: output.bitmap, columns: output.columns, isEager: true }}
                count={output.order.length}
                label={`${output.shown === "filters" ? "Filters" : "Basis"} of ${output.title}`}
                nameOf={(place) => nameOf(output, output.order[place])}
                chosen={[output.order.indexOf(filter)]}
                onChoose={(place) => {
                  choose(output.order[place]);
                }}
              />
            </Figure>
          ) : (
            job.problem === null && <div class="square waiting" />
          )}
        </JobOutput>
      </div>
      {output && filter !== null && output.structure !== null && (
        <PoolView {...{ model, picture, filter }} areFiltersOld={job.isOld} onChoose={choose} />
      )}
    </div>
  );
}

/** As the address says it, else one that is not among the finest. */
function chosenFilter({ order }: ViewedFilters, filter: number): number {
  return order.includes(filter) ? filter : order[Math.floor(0.13 * order.length)];
}

export function nameOf({ shapes }: Pick<ViewedFilters, "shapes">, row: number): string {
  return `Filter ${row}: ${shapeText(shapes[row])}`;
}

function captionOf({ title, shown, order, shapes }: ViewedFilters): string {
  const count =
    order.length < shapes.length
      ? `${order.length} of the ${shapes.length} filters`
      : `The ${order.length} filters`;
  const what =
    shown === "filters"
      ? "what a patch is multiplied with"
      : "the patch that makes this one response 1, and all others 0, before they are divided";
  return `${count} of ${title}, from coarse to fine, in each octave by orientation: ${what}. Grey is 0; each has its own black and white. Choose one, by click or arrow keys; its number is its row of H, from 0.`;
}
