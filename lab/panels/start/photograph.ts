/** The photograph of the start page: 240×160 grey pixels (scripts/make-start-photograph.mjs). */
import { fetchBytes } from "../../fetch-bytes.js";
import type { NamedFile } from "../../named-file.js";
import { useTask } from "../../use-task.js";
import url from "./photograph.webp?url";

export { url as photographUrl };
export const photographSize = { width: 240, height: 160 };
const key = "photograph of the start page";

export function useStoryPhotograph() {
  const { output, problem, again } = useTask(load, key, key);
  return { photograph: output, problem, tryAgain: again };
}

async function load(): Promise<NamedFile> {
  return { key, file: new File([await fetchBytes(url, "The photograph")], "photograph.webp") };
}
