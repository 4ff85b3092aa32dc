/** Patches: filters, samples and likelihoods of densities of image patches (paper §4.2). */
import type { VNode } from "preact";
import { InducedDensity, Normalization } from "../../components/equations.js";
import { Notice, Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { Tabs } from "../../components/tabs.js";
import { usePhotograph } from "../../use-photograph.js";
import { useSettings } from "../../use-settings.js";
import { FiltersView } from "./filters-view.js";
import { HistogramsView } from "./histograms-view.js";
import { type ModelSource, type ViewProps, titleOf } from "./model-source.js";
import { PatchesControls, useOwnFiles } from "./patches-controls.js";
import { PictureView } from "./picture-view.js";
import { SamplesView } from "./samples-view.js";
import { type View, packagePatchSide, patchesSettings, views } from "./settings.js";
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
  const [, Shown] = tabViews[state.view];
  return (
    <Panel
      title="Patches"
      lead={`Densities of ${patchSide}×${patchSide} patches of photographs: their filters, their samples, and the parts of a picture that surprise them.`}
      controls={
        <PatchesControls state={state} change={change} files={files} patchSide={patchSide} />
      }
      explanation={<Explanation patchSide={patchSide} />}
    >
      <Problems sentences={files.problems} onClose={files.closeProblem} />
      <Tabs
        label="Views"
        {...field("view")}
        tabs={views.map((value) => ({ value, label: tabViews[value][0] }))}
      >
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

function Explanation({ patchSide }: { readonly patchSide: number }): VNode {
  return (
    <>
      <p>
        A patch <i>x</i> of {patchSide}×{patchSide} pixels is a point in {patchSide * patchSide}{" "}
        dimensions. The model transforms patches of photographs into normal vectors: filters, the
        rows of <i>H</i>, give responses <i>z</i> = <i>Hx</i>, and each response is divided by a
        pool of all responses (paper eq. 5):
      </p>
      <Normalization exponents="of filters" />
      <p>
        The transform is invertible, so it defines a density. To draw a <em>sample</em>, draw a
        normal vector <i>y</i> and invert the transform. The log-density of a patch is (paper eq.
        1):
      </p>
      <InducedDensity isLog />
      <p>
        The three models of this page differ in the pool. ICA-MG divides each response by itself
        alone, as if filters were independent. RG divides all responses by one norm. GDN learns
        which filters divide which, and gives photographs the highest likelihood of the three. All
        were fitted to 16×16 patches of the 24 photographs of the Kodak set.
      </p>
      <p>
        <em>Temperature</em> scales <i>y</i> before the inversion: below 1, samples are flatter than
        those of the density; above 1, they are more extreme. A <em>walk</em> leads from the{" "}
        <i>y</i> of sample A, called <i>a</i>, to that of sample B, called <i>b</i>. In many
        dimensions, nearly all normal vectors have the same length. A straight line passes through
        shorter vectors, which hardly ever occur. The arc avoids them:
      </p>
      <math
        display="block"
        aria-label="y of t equals 1 minus t, times a, plus t times b, over the square root of the sum of the squares of 1 minus t and t"
      >
        <mi>y</mi>
        <mtext>(</mtext>
        <mi>t</mi>
        <mtext>)</mtext>
        <mo>=</mo>
        <mfrac>
          <mrow>
            <OneMinusT />
            <mi>a</mi>
            <mo>+</mo>
            <mi>t</mi>
            <mi>b</mi>
          </mrow>
          <msqrt>
            <msup>
              <OneMinusT />
              <mn>2</mn>
            </msup>
            <mo>+</mo>
            <msup>
              <mi>t</mi>
              <mn>2</mn>
            </msup>
          </msqrt>
        </mfrac>
      </math>
      <p>
        Each point of the arc is a normal vector, so its patch is as good a sample as A and B. For
        the same seed and pixels, samples and likelihoods equal those of{" "}
        <code>gaussianize sample</code> and <code>gaussianize evaluate</code>.
      </p>
    </>
  );
}

/** (1 − t) */
function OneMinusT(): VNode {
  return (
    <mrow>
      <mtext>(</mtext>
      <mn>1</mn>
      <mo>−</mo>
      <mi>t</mi>
      <mtext>)</mtext>
    </mrow>
  );
}
