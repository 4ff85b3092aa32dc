import type { VNode } from "preact";
import { Check, Choice } from "../../components/controls.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-task.js";
import type { ViewedFilters } from "./filters-job.js";
import { JobOutput } from "./job-output.js";
import type { ViewProps } from "./model-source.js";
import { PoolView, shapeText } from "./pool-view.js";
import { ReceptiveFields } from "./receptive-fields-view.js";

export function FiltersView(props: ViewProps): VNode {
  const { state, ofImages } = props;
  const isSecond = ofImages !== null && ofImages.convolutions > 1 && state.shown === "second";
  return (
    <div class={hasLargeFilters(props) ? "beside below" : "beside"}>
      {isSecond ? (
        <div>
          <ShownControls {...props} />
          <ReceptiveFields {...props} />
        </div>
      ) : (
        <FirstFilters {...props} />
      )}
    </div>
  );
}

/** Width of the column of filters beside a pool, in pixels, about. */
const columnWidth = 640;

/** Returns whether filters need the whole width, with their pools below. */
function hasLargeFilters({ ofImages }: ViewProps): boolean {
  return ofImages !== null && ofImages.stride * (ofImages.filterSide + 1) > columnWidth;
}

function ShownControls(props: ViewProps): VNode | null {
  const { state, change, ofImages } = props;
  if (!ofImages) return <ShownChoice {...props} />;
  return (
    <div class="fields">
      <ShownChoice {...props} />
      <Check
        label="Square roots, to see small weights"
        checked={state.greys === "roots"}
        onChange={(isChecked) => {
          change({ greys: isChecked ? "roots" : "weights" });
        }}
      />
    </div>
  );
}

function ShownChoice({ field, ofImages }: ViewProps): VNode | null {
  const { value, onChange } = field("shown");
  if (!ofImages) {
    return (
      <Choice
        label="Show"
        value={value === "basis" ? "basis" : "filters"}
        onChange={onChange}
        choices={[
          { value: "filters", label: "filters: rows of H" },
          { value: "basis", label: "basis functions: columns of H⁻¹" },
        ]}
      />
    );
  }
  if (ofImages.convolutions < 2) return null;
  return (
    <Choice
      label="Show"
      value={value === "second" ? "second" : "filters"}
      onChange={onChange}
      choices={[
        { value: "filters", label: "first stage: filters" },
        { value: "second", label: "second stage: receptive fields" },
      ]}
    />
  );
}

function FirstFilters(props: ViewProps): VNode {
  const { state, change, model, ofImages, title, picture } = props;
  const shown = state.shown === "basis" ? "basis" : "filters";
  const hasRoots = ofImages !== null && state.greys === "roots";
  const job = useJob("viewFilters", { model, shown, hasRoots });
  const { output } = job;
  const choose = (filter: number): void => {
    change({ filter });
  };
  return (
    <>
      <div>
        <ShownControls {...props} />
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
              nameOf={(filter) => `Filter ${filter}: ${shapeText(filters.shapes[filter])}`}
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
          hasRoots={hasRoots}
          areFiltersOld={job.isOld}
          onChoose={choose}
        />
      )}
    </>
  );
}

/** Returns the filter of the address, or else one of the coarser ones. */
function chosenFilter({ order }: ViewedFilters, filter: number): number {
  return order.includes(filter) ? filter : order[Math.floor(0.13 * order.length)];
}

function captionOf(filters: ViewedFilters): string {
  const { title, subject, shown, hasRoots, side, order, shapes } = filters;
  const count =
    order.length < shapes.length
      ? `${order.length} of the ${shapes.length}`
      : `The ${order.length}`;
  const size = subject === "images" ? ` of ${side}×${side} pixels in the first stage` : "";
  const meaning =
    shown === "filters"
      ? "the weights of the pixels"
      : "the patch for which this response is 1 and all others are 0, before the division";
  const number = subject === "images" ? "its map" : "its row in H";
  const scale = hasRoots ? "grey scale of square roots" : "grey scale";
  return `${count} filters${size} of ${title}, from coarse to fine, by orientation within each octave: ${meaning}. Each has its own ${scale}; mid-grey is 0. Choose a filter by click or arrow keys. Its number is ${number}, from 0.`;
}
