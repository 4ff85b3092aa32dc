import type { VNode } from "preact";
import { Panel } from "../../components/panel.js";

export function RunsPanel(): VNode {
  return (
    <Panel title="Runs" lead="" controls={null} explanation={null}>
      <p>To come.</p>
    </Panel>
  );
}
