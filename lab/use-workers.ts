import { useEffect, useState } from "preact/hooks";
import { compute } from "./compute/compute.js";

/** Returns the number of workers; null until it is known. Asking also loads them. */
export function useWorkers(): number | null {
  const [workers, setWorkers] = useState<number | null>(null);
  useEffect(() => {
    compute("machine", null).then(
      (machine) => {
        setWorkers(machine.workers);
      },
      // The first job that fails reports the problem.
      () => undefined,
    );
  }, []);
  return workers;
}
