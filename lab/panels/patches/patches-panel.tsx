/** Patches: filters, samples and likelihoods of densities of image patches (paper §4.2). */
import type { VNode } from "preact";
import { Notice, Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { Tabs } from "../../components/tabs.js";
import { usePhotograph } from "../../use-photograph.js";
import { useSettings } from "../../use-settings.js";
import { ImagesExplanation, PatchesExplanation } from "./explanations.js";
import { FiltersView } from "./filters-view.js";
import { HistogramsView } from "./histograms-view.js";
import { ImageSamplesView } from "./image-samples-view.js";
import { type ModelSource, type ViewProps, titleOf } from "./model-source.js";
import { PatchesControls, useOwnFiles } from "./patches-controls.js";
import { PictureView } from "./picture-view.js";
import { SamplesView } from "./samples-view.js";
import { type View, imageViews, packagePatchSide, patchesSettings, views } from "./settings.js";
import { WalkView } from "./walk-view.js";
import "../../styles/patch-grid.css";
import "../../styles/tabs.css";
import "./patches.css";

type TabView = readonly [label: string, view: (props: ViewProps) => VNode];

const tabViews: Readonly<Record<View, TabView>> = {
  filters: ["Filters", FiltersView],
  samples: ["Samples", SamplesView],
  walk: ["Walk", WalkView],
  histograms: ["Histograms", HistogramsView],
  picture: ["Your picture", PictureView],
};

/** Sizes of the models of the package. */
const packageSizes = { patchSide: packagePatchSide, ofImages: null };

export function PatchesPanel(): VNode {
  const [state, change, field] = useSettings("patches", patchesSettings);
  const files = useOwnFiles();
  const own = files.held;
  const photograph = usePhotograph(own.picture ? null : state.photo);
  const picture = own.picture ?? photograph.file;
  const model: ModelSource = own.model
    ? { kind: "file", ...own.model }
    : { kind: "package", name: state.model };
  const sizes = own.model ?? packageSizes;
  const { patchSide, ofImages } = sizes;
  const offered: readonly View[] = ofImages ? imageViews : views;
  const view = offered.includes(state.view) ? state.view : "filters";
  const Shown = ofImages && view === "samples" ? ImageSamplesView : tabViews[view][1];
  return (
    <Panel
      title="Patches"
      lead={
        ofImages
          ? `A density of whole images: its filters of ${patchSide}×${patchSide} pixels, a sample, and the parts of a picture that surprise it.`
          : `Densities of ${patchSide}×${patchSide} patches of photographs: their filters, their samples, and the parts of a picture that surprise them.`
      }
      controls={<PatchesControls state={state} change={change} files={files} sizes={sizes} />}
      explanation={
        ofImages ? (
          <ImagesExplanation {...ofImages} />
        ) : (
          <PatchesExplanation patchSide={patchSide} />
        )
      }
    >
      <Problems sentences={files.problems} onClose={files.closeProblem} />
      <Tabs
        label="Views"
        {...field("view")}
        value={view}
        tabs={offered.map((value) => ({ value, label: tabViews[value][0] }))}
      >
        <div class="view">
          {photograph.problem !== null && <Notice kind="problem">{photograph.problem}</Notice>}
          <Shown
            key={view}
            state={state}
            change={change}
            field={field}
            model={model}
            ofImages={ofImages}
            title={titleOf(model)}
            picture={picture}
          />
        </div>
      </Tabs>
    </Panel>
  );
}
