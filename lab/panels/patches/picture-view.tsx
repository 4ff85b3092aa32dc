/** Log-density of the patches of a picture. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fixed, thousands } from "../../../src/numbers/format-number.js";
import { Choice } from "../../components/controls.js";
import { PatchGrid } from "../../components/patch-grid.js";
import { useJob } from "../../use-task.js";
import { JobOutput } from "./job-output.js";
import { LikelihoodPicture } from "./likelihood-picture.js";
import type { MappedPicture } from "./map-job.js";
import type { ViewProps } from "./model-source.js";
import { extremeColumns } from "./settings.js";

export function PictureView(props: ViewProps): VNode {
  const { state, field, model, ofImages, title, picture } = props;
  const side = state.part === "whole" ? null : Number(state.part);
  const stride = ofImages ? null : Number(state.stride);
  const job = useJob("mapPicture", picture && { model, picture, side, stride });
  const { report } = job;
  const [chosen, setChosen] = useState<{ of: MappedPicture; place: number } | null>(null);
  return (
    <>
      <MapControls field={field} ofImages={ofImages} />
      <JobOutput
        job={job}
        label={`Scoring ${ofImages ? "blocks" : "patches"} with ${title}`}
        part={report && report.done / report.total}
        text={report ? `${thousands(report.done)} of ${thousands(report.total)}` : ""}
        waiting={
          <>
            <p class="summary" />
            <div class="square waiting">The map appears here.</div>
          </>
        }
      >
        {(mapped) => {
          const place = chosen?.of === mapped ? chosen.place : null;
          const choose = (next: number): void => {
            setChosen({ of: mapped, place: next });
          };
          return (
            <>
              <Summary mapped={mapped} />
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
          );
        }}
      </JobOutput>
    </>
  );
}

function MapControls({ field, ofImages }: Pick<ViewProps, "field" | "ofImages">): VNode {
  return (
    <div class="fields">
      <Choice
        label="Region"
        {...field("part")}
        choices={[
          { value: "256", label: "256×256 in the middle" },
          { value: "512", label: "512×512 in the middle" },
          { value: "whole", label: "all, up to 2048×2048" },
        ]}
      />
      {!ofImages && (
        <Choice
          label="A patch every"
          {...field("stride")}
          choices={(["2", "4", "8", "16"] as const).map((value) => ({
            value,
            label: `${value} pixels`,
          }))}
        />
      )}
    </div>
  );
}

function Summary({ mapped }: { readonly mapped: MappedPicture }): VNode {
  const { title, subject, map, width, height, whole } = mapped;
  const failed = map.natsPerDimension.filter(Number.isNaN).length;
  const middle = width < whole.width || height < whole.height ? "the middle " : "";
  const count = thousands(map.natsPerDimension.length);
  const mean = <data value={map.mean}>{fixed(map.mean, 3)}</data>;
  if (subject === "images") {
    return (
      <p class="summary">
        Log-density of {middle}
        {width}×{height} pixels under {title}: {mean} nats per pixel. Higher is more likely. It is
        the mean over {count} blocks.
      </p>
    );
  }
  const lost = `${failed} ${failed === 1 ? "patch has" : "patches have"} no density.`;
  return (
    <p class="summary">
      Mean log-density of {count} patches in {middle}
      {width}×{height} pixels under {title}: {mean} nats per pixel. Higher is more likely.
      {failed > 0 && ` ${lost}`}
    </p>
  );
}

interface ExtremePatchesProps {
  readonly mapped: MappedPicture;
  readonly of: "likeliest" | "leastLikely";
  readonly place: number | null;
  readonly onChoose: (place: number) => void;
}

function ExtremePatches({ mapped, of, place, onChoose }: ExtremePatchesProps): VNode | null {
  const { places, bitmap } = mapped[of];
  const { natsPerDimension } = mapped.map;
  if (places.length === 0) return null;
  const valueOf = (at: number): string => fixed(natsPerDimension[at], 2);
  const [first, last] = [places[0], places[places.length - 1]].map(valueOf);
  const isOfImages = mapped.subject === "images";
  const pieces = isOfImages ? "blocks" : "patches";
  const what = of === "likeliest" ? `Most likely ${pieces}` : `Most surprising ${pieces}`;
  const side = mapped.shownSide;
  const around = isOfImages ? `, with the ${side}×${side} pixels around them` : "";
  return (
    <PatchGrid
      caption={`${what}${around}, from ${first} to ${last} nats per pixel. Choose one to see where it is.`}
      bitmap={bitmap}
      columns={extremeColumns}
      items={places}
      isEager={true}
      label={what}
      nameOf={(at) => `${valueOf(at)} nats per pixel`}
      chosen={place === null ? [] : [place]}
      onChoose={onChoose}
    />
  );
}
