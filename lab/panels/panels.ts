/** All panels of the lab, in the order of the tabs. Each is loaded when it is first opened. */
import type { ComponentType } from "preact";

export interface PanelEntry {
  /** Name in the address. */
  readonly name: string;
  readonly title: string;
  /** Text of the heading. */
  readonly heading: string;
  readonly load: () => Promise<ComponentType>;
}

export const panels: readonly PanelEntry[] = [
  {
    name: "start",
    title: "Start",
    heading: "How to make photographs Gaussian",
    load: async () => (await import("./start/start-panel.js")).StartPanel,
  },
  panel("Pairs", async () => (await import("./pairs/pairs-panel.js")).PairsPanel),
  panel("Patches", async () => (await import("./patches/patches-panel.js")).PatchesPanel),
  panel("Denoise", async () => (await import("./denoise/denoise-panel.js")).DenoisePanel),
  panel("Train", async () => (await import("./train/train-panel.js")).TrainPanel),
  panel("Runs", async () => (await import("./runs/runs-panel.js")).RunsPanel),
];

function panel(title: string, load: PanelEntry["load"]): PanelEntry {
  return { name: title.toLowerCase(), title, heading: title, load };
}
