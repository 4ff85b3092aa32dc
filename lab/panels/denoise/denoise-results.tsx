/** The pictures to compare, with their quality and the download of a result. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fixed } from "../../../src/numbers/format-number.js";
import type { PictureQuality } from "../../../src/evaluation/picture-quality.js";
import { Comparison, useBlobAddress } from "../../components/comparison.js";
import { Button, Choice } from "../../components/controls.js";
import { Figure, Wide } from "../../components/panel.js";
import type { Denoised, Figures, Looks } from "./denoise-jobs.js";
import { type Way, wayNames } from "./settings.js";
import { decibelText, downloadName } from "./words.js";

interface PicturesProps {
  /** Name of the file. */
  readonly name: string;
  readonly looks: Looks;
  readonly result: Denoised | undefined;
  readonly way: Way;
}

const zooms = { fit: null, one: 1, two: 2, four: 4 } as const;

export function Pictures({ name, looks, result, way }: PicturesProps): VNode {
  const [zoom, setZoom] = useState<keyof typeof zooms>("fit");
  const [before, setBefore] = useState<"noisy" | "clean">("noisy");
  const noisy = { label: "noisy", file: looks.noisy } as const;
  const clean = looks.clean && ({ label: "clean", file: looks.clean } as const);
  const left = before === "clean" && clean ? clean : noisy;
  const denoised = result && { label: wayNames[way], file: result.picture };
  const right = denoised ?? (left === noisy ? null : noisy);
  return (
    <Figure
      caption={
        right
          ? `Move the line. Left: ${left.label}. Right: ${right.label}.`
          : "The noisy picture. The result will appear beside it."
      }
    >
      <div class="viewing">
        <Choice
          label="Left"
          value={left.label}
          choices={[noisy, ...(clean ? [clean] : [])].map(({ label }) => ({ value: label, label }))}
          onChange={setBefore}
        />
        <Choice
          label="Size"
          value={zoom}
          choices={[
            { value: "fit", label: "fit to width" },
            { value: "one", label: "1:1" },
            { value: "two", label: "2:1" },
            { value: "four", label: "4:1" },
          ]}
          onChange={setZoom}
        />
        <Download name={name} result={result} way={way} />
      </div>
      <Comparison
        left={left}
        right={right}
        width={looks.width}
        height={looks.height}
        zoom={zooms[zoom]}
      />
    </Figure>
  );
}

function Download({ name, result, way }: Omit<PicturesProps, "looks">): VNode {
  const address = useBlobAddress(result?.picture ?? null);
  if (!result || address === null) {
    return (
      <Button disabled onClick={() => undefined}>
        Download PNG
      </Button>
    );
  }
  return (
    <a class="button" href={address} download={downloadName(name, way, result.sigma)}>
      Download PNG
    </a>
  );
}

interface QualityTableProps {
  /** Figures of the noisy picture; null while they are computed, and if that failed. */
  readonly figures: Figures | null;
  readonly isAwaited: boolean;
  readonly results: ReadonlyMap<Way, Denoised>;
}

export function QualityTable({ figures, isAwaited, results }: QualityTableProps): VNode {
  const isOnItsWay = !figures && isAwaited;
  return (
    <Wide label="Quality of the pictures">
      <table class="quality">
        <caption class="unseen">Quality of the pictures</caption>
        <thead>
          <tr>
            {["Picture", "PSNR", "SSIM", "σ used", "Time"].map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Noisy</th>
            {isOnItsWay ? (
              <BothCells text="…" label="being computed" />
            ) : (
              <QualityCells quality={figures?.quality ?? null} />
            )}
            <BothCells text="–" />
          </tr>
          {[...results].map(([way, { quality, sigma, isEstimated, seconds }]) => (
            <tr key={way}>
              <th scope="row">{wayNames[way]}</th>
              <QualityCells quality={quality} />
              <td>
                <data value={String(sigma)}>{fixed(sigma, 1)}</data>
                {isEstimated && ", estimated"}
              </td>
              <td>{fixed(seconds, 1)} s</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** Two cells with the same text. */
function BothCells({ text, label }: { readonly text: string; readonly label?: string }): VNode {
  return (
    <>
      <td aria-label={label}>{text}</td>
      <td aria-label={label}>{text}</td>
    </>
  );
}

/** The values hold all digits, for programs. */
function QualityCells({ quality }: { readonly quality: PictureQuality | null }): VNode {
  if (!quality) return <BothCells text="unknown" />;
  const { psnr, ssim } = quality;
  return (
    <>
      <td>
        <data value={String(psnr)}>{decibelText(psnr)}</data> dB
      </td>
      <td>
        <data value={String(ssim)}>{fixed(ssim, 4)}</data>
      </td>
    </>
  );
}
