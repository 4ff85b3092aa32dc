/** Live example: a point moves through y-space, and its image patch follows. */
import type { VNode } from "preact";
import dragStyle from "../../lab/components/drag.css?inline";
import planePadStyle from "../../lab/components/plane-pad.css?inline";
import patchesStyle from "../../lab/panels/patches/patches.css?inline";
import { PlaneFigures } from "../../lab/panels/patches/plane-view.js";
import planeViewStyle from "../../lab/panels/patches/plane-view.css?inline";
import liveStyle from "./live.css?inline";

export const styles = [patchesStyle, dragStyle, planePadStyle, planeViewStyle, liveStyle];

/** The samples A and B of this seed. */
const terms = {
  model: { kind: "package", name: "gdn" },
  seed: 12,
  temperature: 1,
  from: 0,
  to: 1,
} as const;

export function Example(): VNode {
  return (
    <div class="live">
      <PlaneFigures terms={terms} title="GDN" />
    </div>
  );
}
