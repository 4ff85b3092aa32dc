export { default } from "../../theme/index.js";
