/** The quality of the pictures. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import type { PictureQuality } from "../../../src/evaluation/picture-quality.js";
import { Wide } from "../../components/panel.js";
import type { Denoised, Figures } from "./denoise-jobs.js";
import { type Way, wayNames } from "./settings.js";
import { decibelText } from "./words.js";

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
