import type { VNode } from "preact";
import { Panel } from "../../components/panel.js";

export function TrainPanel(): VNode {
  return (
    <Panel title="Train" lead="" controls={null} explanation={null}>
      <p>To come.</p>
    </Panel>
  );
}
