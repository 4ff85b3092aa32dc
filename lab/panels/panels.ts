/** All panels of the lab, in the order of the tabs. Each is loaded when it is first opened. */
import type { ComponentType } from "preact";

export interface PanelEntry {
  /** Name in the address. */
  readonly name: string;
  readonly title: string;
  readonly load: () => Promise<ComponentType>;
}

export const panels: readonly PanelEntry[] = [
  {
    name: "pairs",
    title: "Pairs",
    load: async () => (await import("./pairs/pairs-panel.js")).PairsPanel,
  },
  {
    name: "patches",
    title: "Patches",
    load: async () => (await import("./patches/patches-panel.js")).PatchesPanel,
  },
  {
    name: "denoise",
    title: "Denoise",
    load: async () => (await import("./denoise/denoise-panel.js")).DenoisePanel,
  },
  {
    name: "train",
    title: "Train",
    load: async () => (await import("./train/train-panel.js")).TrainPanel,
  },
  {
    name: "runs",
    title: "Runs",
    load: async () => (await import("./runs/runs-panel.js")).RunsPanel,
  },
];
