export { fixed, grouped, short } from "../../components/numbers.js";
