import type { VNode } from "preact";
import { Choice } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-task.js";
import type { ViewedFilters } from "./filters-job.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import { PoolView, shapeText } from "./pool-view.js";

export function FiltersView({ state, change, field, model, title, picture }: ViewProps): VNode {
  const job = useJob("viewFilters", { model, shown: state.shown });
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
          {...field("shown")}
          choices={[
            { value: "filters", label: "filters: the rows of H" },
            { value: "basis", label: "what each stands for: the columns of H⁻¹" },
          ]}
        />
        <JobOutput job={job} label={`Looking at the filters of ${title}`}>
          {output && filter !== null ? (
            <Figure caption={captionOf(output)}>
              <PatchGrid
                bitmap={output.bitmap}
                columns={output.columns}
                isEager={true}
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
        <PoolView
          model={model}
          picture={picture}
          filter={filter}
          areFiltersOld={job.isOld}
          onChoose={choose}
        />
      )}
    </div>
  );
}

/** Returns the filter of the address, else one that is not among the finest. */
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
