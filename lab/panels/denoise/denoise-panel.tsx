import type { VNode } from "preact";
import { Button } from "../../components/controls.js";
import { Notice, Problems } from "../../components/notice.js";
import { Panel } from "../../components/panel.js";
import { useLasting } from "../../use-lasting.js";
import { useSettings } from "../../use-settings.js";
import { DenoiseControls } from "./denoise-controls.js";
import type { Denoised } from "./denoise-jobs.js";
import { ComparedPictures } from "./compared-pictures.js";
import { QualityTable } from "./quality-table.js";
import { DenoiseActions, MethodTabs } from "./method-tabs.js";
import { denoiseSettings, sigmaOf, wayOf } from "./settings.js";
import { useDenoising } from "./use-denoising.js";
import { useOwnPicture, useSubject } from "./use-subject.js";
import { preparingText, warningText } from "./words.js";
import "../../styles/tabs.css";
import "./denoise.css";

export function DenoisePanel(): VNode {
  const [state, change, field] = useSettings("denoise", denoiseSettings);
  const picture = useOwnPicture(state, change);
  const shown = useSubject(state, picture.held.own);
  const { subject, prepared, isReady } = shown;
  const denoising = useDenoising(subject, prepared?.looks ?? null);
  const { results, state: run } = denoising;
  const way = wayOf(state);
  const sigma = sigmaOf(state);
  const looks = prepared?.looks ?? null;
  const isReading = picture.reading !== null;
  const isBusy = isReading || shown.preparing !== null;
  const isCurrent = isReady && !isReading;
  // While a slider moves, small pictures change too fast for messages about them.
  const isOld = useLasting(!isCurrent) || isReading;
  const figures = isCurrent ? (prepared?.figures ?? null) : null;
  const result = results.get(way);
  const hindrance = sigma === 0 ? "σ is 0: there is no noise to remove." : null;
  return (
    <Panel
      title="Denoise"
      lead="Remove the noise from a picture, and compare the result with the noisy and the clean picture."
      actions={
        <DenoiseActions
          way={way}
          denoising={denoising}
          looks={looks}
          preparing={isOld && isBusy ? preparingText(picture.reading, shown.preparing) : null}
          hindrance={isCurrent ? hindrance : ""}
          onStart={() => {
            const { method, rounds } = state;
            const isOneRound = method === "gdn" && rounds === "1";
            void denoising.start(way, { method, rounds: isOneRound ? 1 : undefined, sigma });
          }}
        />
      }
      controls={
        <DenoiseControls
          state={state}
          field={field}
          picture={picture}
          figures={figures}
          looks={isOld ? null : looks}
        />
      }
      explanation={<DenoiseExplanation />}
    >
      <MethodTabs state={state} field={field} />
      {/* It cannot be closed, because nothing else says why there is no picture. */}
      {shown.problem !== null && (
        <>
          <Notice kind="problem">{shown.problem}</Notice>
          <div class="buttons">
            <Button onClick={shown.tryAgain}>Try again</Button>
          </div>
        </>
      )}
      <Problems sentences={picture.problems} onClose={picture.closeProblem} />
      {run.status === "failed" && <Problems sentences={[run.problem]} onClose={denoising.reset} />}
      {result && <Remarks result={result} />}
      {looks && (
        // An old picture that nothing will replace only keeps its place, and cannot be used.
        <div class={isOld ? "subject old" : "subject"} aria-busy={isBusy} inert={isOld && !isBusy}>
          <ComparedPictures
            name={prepared?.name ?? ""}
            results={results}
            tiles={denoising.tiles}
            looks={looks}
            way={way}
          />
          <QualityTable figures={figures} results={results} isAwaited={shown.problem === null} />
        </div>
      )}
      {!looks && shown.problem === null && <div class="subject-waiting">Loading the picture …</div>}
    </Panel>
  );
}

function Remarks({ result: { isUnchanged, warnings } }: { readonly result: Denoised }): VNode {
  const unchanged = "The noise is too weak to measure, so the picture is unchanged.";
  const remarks = [...(isUnchanged ? [unchanged] : []), ...warnings.map(warningText)];
  return (
    <>
      {remarks.map((remark) => (
        <Notice key={remark} kind="news">
          {remark}
        </Notice>
      ))}
    </>
  );
}

function DenoiseExplanation(): VNode {
  return (
    <>
      <p>
        A density fitted to <em>noisy</em> patches knows how to clean them. For white noise of
        standard deviation σ, the best estimate (least mean squared error) moves the noisy patch a
        little uphill on its log-density. This is empirical Bayes (Miyasawa 1961; paper eq. 7):
      </p>
      <math
        display="block"
        aria-label="x hat is x tilde plus sigma squared times the gradient of log p of x tilde"
      >
        <Accented mark="^" />
        <mo>=</mo>
        <Accented mark="~" />
        <mo>+</mo>
        <msup>
          <mi>σ</mi>
          <mn>2</mn>
        </msup>
        <mo>∇</mo>
        <mi>log</mi>
        <mo>&#8289;</mo>
        <mi>p</mi>
        <mtext>(</mtext>
        <Accented mark="~" />
        <mtext>)</mtext>
      </math>
      <p>
        The formula needs no clean picture. Patches overlap, and their estimates are averaged. One
        round applies it once. With three rounds, other densities look at the noisy picture again,
        together with the previous estimate.
      </p>
      <p>
        GSM and Marginal are the methods that the paper compares with. They work on wavelet
        coefficients and need no fitted density. A colour picture is denoised as brightness and two
        colour differences, each with its own noise level.
      </p>
      <p>
        PSNR and SSIM measure how close a picture is to the clean one; higher is better.{" "}
        <code>gaussianize denoise</code> gives the same values with the same settings. The
        downloaded picture is rounded to 8 bits.
      </p>
    </>
  );
}

/** x with a mark above it. */
function Accented({ mark }: { readonly mark: string }): VNode {
  return (
    <mover accent>
      <mi>x</mi>
      <mo>{mark}</mo>
    </mover>
  );
}
