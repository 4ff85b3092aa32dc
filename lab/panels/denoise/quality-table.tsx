/** Quality of the noisy picture and of every result, by the clean one. */
import type { VNode } from "preact";
import { fixed } from "../../../src/numbers/format-number.js";
import { Wide } from "../../components/panel.js";
import type { PictureQuality } from "../../../src/evaluation/picture-quality.js";
import type { Denoised, Figures } from "./denoise-jobs.js";
import { type Way, wayNames } from "./settings.js";
import { decibelText } from "./words.js";

interface QualityTableProps {
  /** Figures of the noisy picture; null while they are computed, and where they could not be. */
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
            <th scope="col">Picture</th>
            <th scope="col">PSNR</th>
            <th scope="col">SSIM</th>
            <th scope="col">σ told</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Noisy</th>
            {isOnItsWay ? <AwaitedCells /> : <QualityCells quality={figures?.quality ?? null} />}
            <td>–</td>
            <td>–</td>
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

function AwaitedCells(): VNode {
  return (
    <>
      <td aria-label="on its way">…</td>
      <td aria-label="on its way">…</td>
    </>
  );
}

/** All digits are there for programs. */
function QualityCells({ quality }: { readonly quality: PictureQuality | null }): VNode {
  if (!quality) {
    return (
      <>
        <td>unknown</td>
        <td>unknown</td>
      </>
    );
  }
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
