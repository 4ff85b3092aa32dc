/** The front page and the page for missing addresses have no main landmark in VitePress 1.6. */
import type { Replacement } from "./replace-texts.js";

export const landmarks: readonly Replacement[] = [
  {
    module: "/vitepress/dist/client/theme-default/components/VPHome.vue",
    text: 'class="VPHome"',
    replacement: 'role="main" class="VPHome"',
  },
  {
    module: "/vitepress/dist/client/theme-default/NotFound.vue",
    text: '<div class="NotFound"',
    replacement: '<div role="main" class="NotFound"',
  },
];
