/** One's own picture: how likely its places are. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Choice } from "../../components/controls.js";
import { Figure } from "../../components/panel.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import { LikelihoodPicture } from "./likelihood-picture.js";
import type { Extremes, MappedPicture } from "./map-job.js";
import type { ViewProps } from "./model-source.js";
import { extremeColumns } from "./settings.js";
import { fixed, thousands } from "../../../src/numbers/format-number.js";

export function PictureView({ state, field, model, title, picture }: ViewProps): VNode {
  const side = state.part === "whole" ? null : Number(state.part);
  const stride = Number(state.stride);
  const job = useJob("mapPicture", picture && { model, picture, side, stride });
  const { output: mapped, report } = job;
  const [chosen, setChosen] = useState<{ of: MappedPicture; place: number } | null>(null);
  const place = mapped && chosen?.of === mapped ? chosen.place : null;
  const choose = (next: number): void => {
    if (mapped) setChosen({ of: mapped, place: next });
  };
  return (
    <>
      <MapControls field={field} />
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
              <ExtremePatches mapped={mapped} of="leastLikely" place={place} onChoose={choose} />
              <ExtremePatches mapped={mapped} of="likeliest" place={place} onChoose={choose} />
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
  const [done, total] = [report.done, report.total].map(thousands);
  return `${done} of ${total}`;
}

function MapControls({ field }: Pick<ViewProps, "field">): VNode {
  return (
    <div class="fields">
      <Choice
        label="Part"
        {...field("part")}
        choices={[
          { value: "256", label: "256×256 from the middle" },
          { value: "512", label: "512×512 from the middle" },
          { value: "whole", label: "all, up to 2048×2048" },
        ]}
      />
      <Choice
        label="A patch every"
        {...field("stride")}
        choices={[
          { value: "2", label: "2 pixels" },
          { value: "4", label: "4 pixels" },
          { value: "8", label: "8 pixels" },
          { value: "16", label: "16 pixels" },
        ]}
      />
    </div>
  );
}

function Summary({ mapped }: { readonly mapped: MappedPicture }): VNode {
  const { title, map, width, height, whole, failed } = mapped;
  const part = width < whole.width || height < whole.height ? " from its middle" : "";
  const count = thousands(map.natsPerDimension.length);
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
        bitmap={bitmap}
        columns={extremeColumns}
        count={places.length}
        isEager={true}
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
