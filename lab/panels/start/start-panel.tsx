/** The start page: from a photograph to a density, and what it is good for, in seven figures. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { Place } from "../../components/drag.js";
import { InducedDensity, Normalization } from "../../components/equations.js";
import { linkTo } from "../../current-address.js";
import type { NamedFile } from "../../named-file.js";
import { useMedia } from "../../plane/dots.js";
import { useJob } from "../../use-task.js";
import { DensityFigure, DivisionFigure } from "./cloud-figures.js";
import { JointFigure } from "./joint-figure.js";
import { NoiseFigure, SamplesFigure, SurpriseFigure } from "./patch-figures.js";
import { PhotographFigure, responseAt } from "./photograph-figure.js";
import { useStoryPhotograph } from "./photograph.js";
import type { Story } from "./responses-job.js";
import { ScoreEquation } from "./score-equation.js";
import { StoryFigure } from "./story-figure.js";
import { useNear } from "./use-near.js";
import "./start.css";

export function StartPanel(): VNode {
  const { photograph, problem, tryAgain } = useStoryPhotograph();
  const story = useJob("readStory", photograph);
  const [place, setPlace] = useState<Place>({ x: 0.3, y: 0.455 });
  const loading = problem === null ? story : { ...story, problem, again: tryAgain };
  return (
    <article class="story">
      <header>
        <h1>How to make photographs Gaussian</h1>
        <p class="lead">
          A density tells how likely an image is. This page fits one to a small photograph, in your
          browser, in a few seconds. Drag the points, frames and lines.
        </p>
      </header>
      <Section title="Filter a photograph" to="patches" link="See the filters of a fitted model">
        <p>
          A filter multiplies the pixels under it by fixed weights and adds them up. Here, one
          filter responds to vertical edges and one to horizontal edges.
        </p>
        <p>
          Drag the frame. In a cloud, both responses are near 0. At the edge of a wing, the second
          one is large.
        </p>
        <PhotographFigure story={story.output} place={place} onPlace={setPlace} />
      </Section>
      <Section
        title="Two responses depend on each other"
        to="pairs"
        link="Try other pairs of responses"
      >
        <p>
          Each dot is one place of the photograph: its first response to the right, its second one
          upwards. The orange point is the place under your frame.
        </p>
        <p>
          The responses are hardly correlated, but they depend on each other. Drag the band: where
          the first response is large, the second one varies more. Both are large where contrast is
          high.
        </p>
        <StoryFigure job={loading} waiting="Filtering the photograph …" aspect={1.25}>
          {(output) => <JointFigure story={output} marked={responseAt(output, place)} />}
        </StoryFigure>
      </Section>
      {photograph && story.output ? (
        <Figures photograph={photograph} story={story.output} />
      ) : (
        <div class="story-rest" />
      )}
      <p class="story-end">
        Next: <a href={linkTo("train")}>fit a density to your own pictures</a>, or{" "}
        <a href={linkTo("runs")}>compare the fits on this machine</a>.
      </p>
    </article>
  );
}

interface FiguresProps {
  readonly photograph: NamedFile;
  readonly story: Story;
}

function Figures({ photograph, story }: FiguresProps): VNode {
  return (
    <>
      <CloudSections photograph={photograph} story={story} />
      <h2 class="story-part">What a density is good for</h2>
      <SamplesSection photograph={photograph} />
      <SurpriseSection photograph={photograph} />
      <NoiseSection photograph={photograph} />
    </>
  );
}

function CloudSections({ photograph, story }: FiguresProps): VNode {
  const { place, isNear } = useNear();
  const fit = useJob("fitCloud", isNear ? photograph : null);
  const isStill = useMedia("(prefers-reduced-motion: reduce)");
  const frame = fit.output ?? (isStill ? null : fit.report);
  return (
    <>
      <Section place={place} title="Divide" to="pairs" link="Watch four models being fitted">
        <p>
          Generalized divisive normalization (GDN) mixes the responses with a matrix <i>H</i>. Then
          it divides each one by a pool of all of them:
        </p>
        <Normalization exponents="of pairs" />
        <p>
          The pool is large where contrast is high, so the division takes the common contrast away.
          The fit changes all parameters until the cloud becomes circular, like a normal
          distribution.
        </p>
        {fit.problem === null ? (
          <DivisionFigure story={story} frame={frame} />
        ) : (
          <StoryFigure job={fit} waiting="" aspect={1}>
            {() => null}
          </StoryFigure>
        )}
      </Section>
      <Section title="Read off the density" to="pairs" link="Draw a cloud of your own">
        <p>
          The transform can be inverted, so it defines a density: the normal density of <i>y</i>,
          times the factor by which the transform stretches the plane around <i>x</i>.
        </p>
        <InducedDensity />
        <p>Drag the point from the middle outwards: log p falls, faster along some directions.</p>
        <DensityFigure story={story} frame={frame} />
      </Section>
    </>
  );
}

interface PhotographProps {
  readonly photograph: NamedFile;
}

function SamplesSection({ photograph }: PhotographProps): VNode {
  const { place, isNear } = useNear();
  const samples = useJob("drawPatches", isNear ? photograph : null);
  return (
    <Section place={place} title="Draw samples" to="patches" link="Draw samples of larger patches">
      <p>
        The same works with more filters: 36 of them for patches of 6×6 pixels. Draw 36 normal
        numbers <i>y</i>, invert the transform, and you get a new patch.
      </p>
      <p>
        Walk on a plane of <i>y</i>: neighbours look alike. In the middle, <i>y</i> is 0 and the
        patch is flat.
      </p>
      <StoryFigure job={samples} waiting="Fitting a density to patches …" aspect={0.9}>
        {(output) => <SamplesFigure photograph={photograph} samples={output} />}
      </StoryFigure>
    </Section>
  );
}

function SurpriseSection({ photograph }: PhotographProps): VNode {
  const { place, isNear } = useNear();
  const map = useJob("mapSurprise", isNear ? photograph : null);
  return (
    <Section place={place} title="Measure surprise" to="patches" link="Map your own picture">
      <p>
        The density rates every patch of the photograph. Smooth patches are likely. Edges and fine
        detail are surprising: they cost more bits in a file, and they draw the eye.
      </p>
      <StoryFigure job={map} waiting="Rating all patches …" aspect={2.6}>
        {(output) => <SurpriseFigure map={output} />}
      </StoryFigure>
    </Section>
  );
}

function NoiseSection({ photograph }: PhotographProps): VNode {
  const { place, isNear } = useNear();
  const cleaned = useJob("removeNoise", isNear ? photograph : null);
  return (
    <Section place={place} title="Remove noise" to="denoise" link="Denoise your own picture">
      <p>
        Noise makes a patch less likely. One step uphill on the log-density of <em>noisy</em>{" "}
        patches gives the best estimate of the clean patch:
      </p>
      <ScoreEquation />
      <p>
        This density has seen nothing but the noisy photograph (normal noise, σ = 25 of 255). Move
        the line.
      </p>
      <StoryFigure job={cleaned} waiting="Fitting a density to noisy patches …" aspect={1.4}>
        {(output) => <NoiseFigure cleaned={output} />}
      </StoryFigure>
    </Section>
  );
}

interface SectionProps {
  readonly title: string;
  /** Panel for more of the same. */
  readonly to: string;
  readonly link: string;
  readonly place?: ReturnType<typeof useNear>["place"];
  /** Paragraphs and equations, and the figure as the last child. */
  readonly children: ComponentChildren;
}

/** Text on the left, figure on the right; on phones one above the other. */
function Section({ title, to, link, place, children }: SectionProps): VNode {
  const parts = Array.isArray(children) ? (children as ComponentChildren[]) : [children];
  return (
    <section class="story-section" aria-label={title} {...(place && { ref: place })}>
      <div class="story-text">
        <h2>{title}</h2>
        {parts.slice(0, -1)}
        <p>
          <a href={linkTo(to)}>{link} →</a>
        </p>
      </div>
      <div class="story-figure">{parts.at(-1)}</div>
    </section>
  );
}
