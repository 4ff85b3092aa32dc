import type { VNode } from "preact";
import { Choice } from "../../components/controls.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-task.js";
import type { ViewedFilters } from "./filters-job.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import { PoolView, shapeText } from "./pool-view.js";

export function FiltersView({ state, change, field, model, title, picture }: ViewProps): VNode {
  const job = useJob("viewFilters", { model, shown: state.shown });
  const { output } = job;
  const choose = (row: number): void => {
    change({ filter: row });
  };
  return (
    <div class="beside">
      <div>
        <Choice
          label="Show"
          {...field("shown")}
          choices={[
            { value: "filters", label: "filters: rows of H" },
            { value: "basis", label: "basis functions: columns of H⁻¹" },
          ]}
        />
        <JobOutput
          job={job}
          label={`Loading the filters of ${title}`}
          waiting={<div class="square waiting" />}
        >
          {(filters) => (
            <PatchGrid
              caption={captionOf(filters)}
              bitmap={filters.bitmap}
              columns={filters.columns}
              isEager={true}
              items={filters.order}
              label={`${filters.shown === "filters" ? "Filters" : "Basis functions"} of ${filters.title}`}
              nameOf={(row) => `Filter ${row}: ${shapeText(filters.shapes[row])}`}
              chosen={[chosenFilter(filters, state.filter)]}
              onChoose={choose}
            />
          )}
        </JobOutput>
      </div>
      {output?.structure && (
        <PoolView
          model={model}
          picture={picture}
          filter={chosenFilter(output, state.filter)}
          areFiltersOld={job.isOld}
          onChoose={choose}
        />
      )}
    </div>
  );
}

/** Returns the filter of the address, or else one of the coarser ones. */
function chosenFilter({ order }: ViewedFilters, filter: number): number {
  return order.includes(filter) ? filter : order[Math.floor(0.13 * order.length)];
}

function captionOf({ title, shown, order, shapes }: ViewedFilters): string {
  const count =
    order.length < shapes.length
      ? `${order.length} of the ${shapes.length}`
      : `The ${order.length}`;
  const meaning =
    shown === "filters"
      ? "the weights of the pixels"
      : "the patch for which this response is 1 and all others are 0, before the division";
  return `${count} filters of ${title}, from coarse to fine, by orientation within each octave: ${meaning}. Each has its own grey scale; mid-grey is 0. Choose a filter by click or arrow keys. Its number is its row in H, from 0.`;
}
