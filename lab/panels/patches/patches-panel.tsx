/** Patches: what densities of image patches have learned, draw, and think of a picture (paper §4.2). */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Notice } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { Tabs } from "../../components/tabs.js";
import { usePhotograph } from "../../use-photograph.js";
import { useSettings } from "../../use-settings.js";
import { FiltersView } from "./filters-view.js";
import { HistogramsView } from "./histograms-view.js";
import { type ModelSource, titleOf } from "./model-source.js";
import { PatchesControls } from "./patches-controls.js";
import { PatchesExplanation } from "./patches-explanation.js";
import { PictureView } from "./picture-view.js";
import { SamplesView } from "./samples-view.js";
import { type View, packagePatchSide, patchesSettings } from "./settings.js";
import { useDropped } from "./use-dropped.js";
import type { ViewProps } from "./view-props.js";
import { WalkView } from "./walk-view.js";
import "../../styles/patch-grid.css";
import "../../styles/tabs.css";
import "./patches.css";

const tabs: readonly { readonly value: View; readonly label: string }[] = [
  { value: "filters", label: "Filters" },
  { value: "samples", label: "Samples" },
  { value: "walk", label: "Walk" },
  { value: "histograms", label: "Histograms" },
  { value: "picture", label: "Your picture" },
];

const viewParts: Readonly<Record<View, (props: ViewProps) => VNode>> = {
  filters: FiltersView,
  samples: SamplesView,
  walk: WalkView,
  histograms: HistogramsView,
  picture: PictureView,
};

export function PatchesPanel(): VNode {
  const [state, change] = useSettings("patches", patchesSettings);
  const dropped = useDropped();
  const photograph = usePhotograph(dropped.picture ? null : state.photo);
  const picture = dropped.picture ?? photograph.file;
  const model = useMemo<ModelSource>(
    () =>
      dropped.model ? { kind: "file", ...dropped.model } : { kind: "package", name: state.model },
    [dropped.model, state.model],
  );
  const patchSide = dropped.model?.patchSide ?? packagePatchSide;
  const Shown = viewParts[state.view];
  return (
    <Panel
      title="Patches"
      lead={`Densities of ${patchSide}×${patchSide} patches of photographs: what they have learned, what they draw, and which places of a picture surprise them.`}
      controls={<PatchesControls {...{ state, change, dropped, model }} />}
      explanation={<PatchesExplanation patchSide={patchSide} />}
    >
      {dropped.problem !== null && (
        <Notice kind="problem" onClose={dropped.closeProblem}>
          {dropped.problem}
        </Notice>
      )}
      <Tabs
        label="Views"
        value={state.view}
        tabs={tabs}
        onChange={(view) => {
          change({ view });
        }}
      >
        <div class="view">
          {photograph.problem !== null && <Notice kind="problem">{photograph.problem}</Notice>}
          <Shown key={state.view} {...{ state, change, model, title: titleOf(model), picture }} />
        </div>
      </Tabs>
    </Panel>
  );
}
