/** Describes how a mixture is made up, for `gaussianize inspect`. */
import { type MixtureComponent, isMixture } from "../../src/density/mixtures/mixture.js";
import { significant } from "../../src/numbers/format-number.js";
import { stagesOf } from "../../src/transforms/cascade.js";

export type MixtureSummary =
  /** First and last stage of a transform. */
  | { readonly kind: "transform"; readonly stages: readonly [first: number, last: number] }
  | {
      readonly kind: "mixture";
      readonly weights: readonly number[];
      readonly components: readonly MixtureSummary[];
    }
  | {
      readonly kind: "symmetric-mixture";
      readonly side: number;
      readonly removeMean: boolean;
      readonly density: MixtureSummary;
    };

/** Returns the structure; `first` is the number of its first stage in the file. */
export function mixtureSummary(component: MixtureComponent, first = 0): MixtureSummary {
  if (!isMixture(component)) {
    return { kind: "transform", stages: [first, first + stagesOf(component).length - 1] };
  }
  if (component.kind === "symmetric-mixture") {
    const { kind, side, removeMean, density } = component;
    return { kind, side, removeMean, density: mixtureSummary(density, first) };
  }
  let next = first;
  const components = component.components.map((inner) => {
    const summary = mixtureSummary(inner, next);
    next = lastStage(summary) + 1;
    return summary;
  });
  return { kind: "mixture", weights: [...component.weights], components };
}

function lastStage(summary: MixtureSummary): number {
  if (summary.kind === "transform") return summary.stages[1];
  if (summary.kind === "symmetric-mixture") return lastStage(summary.density);
  return lastStage(summary.components[summary.components.length - 1]);
}

/** Returns one line per mixture and transform, indented by their depth. */
export function mixtureText(summary: MixtureSummary, indent = "", prefix = ""): string[] {
  const line = (text: string): string => `${indent}${prefix}${text}`;
  const deeper = `${indent}  `;
  if (summary.kind === "transform") {
    const [first, last] = summary.stages;
    return [line(first === last ? `stage ${first}` : `stages ${first} to ${last}`)];
  }
  if (summary.kind === "symmetric-mixture") {
    const { side, removeMean, density } = summary;
    const without = removeMean ? " without their mean" : "";
    const text = `symmetric mixture, over the 8 poses of ${side}×${side} patches${without}`;
    return [line(text), ...mixtureText(density, deeper)];
  }
  const { components, weights } = summary;
  return [
    line(`mixture of ${components.length}`),
    ...components.flatMap((inner, k) =>
      mixtureText(inner, deeper, `weight ${significant(weights[k])}: `),
    ),
  ];
}
