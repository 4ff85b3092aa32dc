/** One's own picture: how likely its places are. */
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-job.js";
import { JobOutput } from "./job-output.js";
import { LikelihoodPicture } from "./likelihood-picture.js";
import type { Extremes, MappedPicture } from "./map-job.js";
import { keyOfModel } from "./model-source.js";
import { type ChangePatches, type PatchesState, extremeColumns } from "./settings.js";
import type { ViewProps } from "./view-props.js";
import { fixed } from "../../components/numbers.js";

export function PictureView({ state, change, model, title, picture }: ViewProps): VNode {
  const side = state.part === "whole" ? null : Number(state.part);
  const stride = Number(state.stride);
  const job = useJob(
    "mapPicture",
    useMemo(() => picture && { model, picture, side, stride }, [model, picture, side, stride]),
    JSON.stringify([keyOfModel(model), picture?.key, side, stride]),
  );
  const { output: mapped, report } = job;
  const [chosen, setChosen] = useState<{ of: MappedPicture; place: number } | null>(null);
  const place = mapped && chosen?.of === mapped ? chosen.place : null;
  const choose = (next: number): void => {
    if (mapped) setChosen({ of: mapped, place: next });
  };
  return (
    <>
      <MapControls state={state} change={change} />
      <JobOutput
        job={job}
        label={`Scoring patches with ${title}`}
        part={report ? report.done / report.total : null}
        text={countText(report)}
      >
        <p class="summary">{mapped && <Summary mapped={mapped} />}</p>
        {mapped ? (
          <>
            <LikelihoodPicture
              mapped={mapped}
              place={place ?? mapped.leastLikely.places.at(0) ?? 0}
              onChoose={choose}
            />
            <div class="figures">
              <ExtremePatches {...{ mapped, of: "leastLikely", place }} onChoose={choose} />
              <ExtremePatches {...{ mapped, of: "likeliest", place }} onChoose={choose} />
            </div>
          </>
        ) : (
          job.problem === null && <div class="square waiting">The map will be here.</div>
        )}
      </JobOutput>
    </>
  );
}

function countText(report: { done: number; total: number } | null): string {
  if (!report) return "";
  const [done, total] = [report.done, report.total].map((n) => n.toLocaleString("en-US"));
  return `${done} of ${total}`;
}

interface MapControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
}

function MapControls({ state, change }: MapControlsProps): VNode {
  return (
    <div class="fields">
      <Choice
        label="Part"
        value={state.part}
        choices={[
          { value: "256", label: "256×256 from the middle" },
          { value: "512", label: "512×512 from the middle" },
          { value: "whole", label: "all, up to 2048×2048" },
        ]}
        onChange={(part) => {
          change({ part });
        }}
      />
      <Choice
        label="A patch every"
        value={state.stride}
        choices={[
          { value: "2", label: "2 pixels" },
          { value: "4", label: "4 pixels" },
          { value: "8", label: "8 pixels" },
          { value: "16", label: "16 pixels" },
        ]}
        onChange={(stride) => {
          change({ stride });
        }}
      />
    </div>
  );
}

function Summary({ mapped }: { readonly mapped: MappedPicture }): VNode {
  const { title, map, width, height, whole, failed } = mapped;
  const part = width < whole.width || height < whole.height ? " from its middle" : "";
  const count = map.natsPerDimension.length.toLocaleString("en-US");
  const lost = failed > 0 ? ` ${failed} patches have no density.` : "";
  return (
    <>
      Mean log-density of {count} patches of {width}×{height} pixels{part} under {title}:{" "}
      <data value={map.mean}>{fixed(map.mean, 3)}</data> nats per pixel. More is likelier.{lost}
    </>
  );
}

interface ExtremePatchesProps {
  readonly mapped: MappedPicture;
  readonly of: "likeliest" | "leastLikely";
  readonly place: number | null;
  readonly onChoose: (place: number) => void;
}

function ExtremePatches({ mapped, of, place, onChoose }: ExtremePatchesProps): VNode | null {
  const { places, bitmap }: Extremes = mapped[of];
  const { natsPerDimension } = mapped.map;
  if (places.length === 0) return null;
  const valueOf = (k: number): string => fixed(natsPerDimension[places[k]], 2);
  const what = of === "likeliest" ? "Likeliest patches" : "Most surprising patches";
  const chosen = place === null ? -1 : places.indexOf(place);
  return (
    <Figure
      caption={`${what}, the first the most: from ${valueOf(0)} to ${valueOf(places.length - 1)} nats per pixel. Choose one to see where it is.`}
    >
      <PatchGrid
        {...{ bitmap, columns: extremeColumns, count: places.length, isEager: true }}
        label={what}
        nameOf={(k) => `${valueOf(k)} nats per pixel`}
        chosen={chosen < 0 ? [] : [chosen]}
        onChoose={(k) => {
          onChoose(places[k]);
        }}
      />
    </Figure>
  );
}
