import type { VNode } from "preact";
import { Panel } from "../../components/panel.js";

export function DenoisePanel(): VNode {
  return (
    <Panel title="Denoise" lead="" controls={null} explanation={null}>
      <p>To come.</p>
    </Panel>
  );
}
