import type { NamedFile } from "./named-file.js";
import { type LabPhotograph, labPhotographs, loadPhotograph } from "./photographs.js";
import { useTask } from "./use-task.js";

/** Loads the photograph with this name; null loads none. The file is null until it is loaded. */
export function usePhotograph(name: LabPhotograph["name"] | null) {
  const { output, isOld, problem, again } = useTask(load, name, name ?? "");
  return { file: isOld ? null : output, problem, tryAgain: again };
}

async function load(name: LabPhotograph["name"]): Promise<NamedFile> {
  const found = labPhotographs.find((photograph) => photograph.name === name) ?? labPhotographs[0];
  return { key: found.name, file: await loadPhotograph(found) };
}
