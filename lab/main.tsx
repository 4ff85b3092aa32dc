/** The lab: everything that the library does, in a page. */
import { render } from "preact";
import { App } from "./app.js";
import { ignoreStrayDrops } from "./stray-drops.js";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/panels.css";

ignoreStrayDrops();
const place = document.getElementById("lab");
if (place) render(<App />, place);
