/**
 * Patches: what densities of image patches have learned, draw, and think of a picture (paper §4.2).
 */
import type { VNode } from "preact";
import { Notice, Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { Tabs } from "../../components/tabs.js";
import { usePhotograph } from "../../use-photograph.js";
import { useSettings } from "../../use-settings.js";
import { FiltersView } from "./filters-view.js";
import { HistogramsView } from "./histograms-view.js";
import { type ModelSource, type ViewProps, titleOf } from "./model-source.js";
import { PatchesControls } from "./patches-controls.js";
import { PatchesExplanation } from "./patches-explanation.js";
import { PictureView } from "./picture-view.js";
import { SamplesView } from "./samples-view.js";
import { type View, packagePatchSide, patchesSettings } from "./settings.js";
import { useOwnFiles } from "./use-own-files.js";
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
  const [state, change, field] = useSettings("patches", patchesSettings);
  const files = useOwnFiles();
  const own = files.held;
  const photograph = usePhotograph(own.picture ? null : state.photo);
  const picture = own.picture ?? photograph.file;
  const model: ModelSource = own.model
    ? { kind: "file", ...own.model }
    : { kind: "package", name: state.model };
  const patchSide = own.model?.patchSide ?? packagePatchSide;
  const Shown = viewParts[state.view];
  return (
    <Panel
      title="Patches"
      lead={`Densities of ${patchSide}×${patchSide} patches of photographs: what they have learned, what they draw, and which places of a picture surprise them.`}
      controls={
        <PatchesControls state={state} change={change} files={files} patchSide={patchSide} />
      }
      explanation={<PatchesExplanation patchSide={patchSide} />}
    >
      <Problems sentences={files.problems} onClose={files.closeProblem} />
      <Tabs label="Views" {...field("view")} tabs={tabs}>
        <div class="view">
          {photograph.problem !== null && <Notice kind="problem">{photograph.problem}</Notice>}
          <Shown
            key={state.view}
            state={state}
            change={change}
            field={field}
            model={model}
            title={titleOf(model)}
            picture={picture}
          />
        </div>
      </Tabs>
    </Panel>
  );
}
