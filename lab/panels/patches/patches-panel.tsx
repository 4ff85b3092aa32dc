import type { VNode } from "preact";
import { Panel } from "../../components/panel.js";

export function PatchesPanel(): VNode {
  return (
    <Panel title="Patches" lead="" controls={null} explanation={null}>
      <p>To come.</p>
    </Panel>
  );
}
