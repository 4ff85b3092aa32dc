/** The lab: everything that the library does, in a page. */
import { render } from "preact";
import { App } from "./app.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/panels.css";

ignoreStrayDrops();
const place = document.getElementById("lab");
if (place) render(<App />, place);

/**
 * A file that misses its box must not open in place of the page: all that was computed would be
 * gone.
 */
function ignoreStrayDrops(): void {
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, (event) => {
      const { dataTransfer } = event;
      // Boxes for files have said that they take it; texts may go into fields.
      if (event.defaultPrevented || !dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      dataTransfer.dropEffect = "none";
    });
  }
}
