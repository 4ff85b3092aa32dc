import type { VNode } from "preact";
import { Panel } from "../../components/panel.js";

export function PairsPanel(): VNode {
  return (
    <Panel title="Pairs" lead="" controls={null} explanation={null}>
      <p>To come.</p>
    </Panel>
  );
}
