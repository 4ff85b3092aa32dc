/** A Python with numpy, for the programs in the documentation. */
import { spawnSync } from "node:child_process";

/** A Python that somebody installed comes first, then Debian's. */
const known = ["python3", "/usr/bin/python3", "python"];

/**
 * The first one that has numpy. Where CI requires it, its absence fails; `.ci/run` says when it could not be installed.
 */
export function pythonWithNumpy(): string | undefined {
  const found = known.find((python) => spawnSync(python, ["-c", "import numpy"]).status === 0);
  if (found === undefined && process.env.CI && !process.env.GAUSSIANIZE_WITHOUT_NUMPY) {
    throw new Error("Python with numpy is missing: .ci/run installs Debian's python3-numpy.");
  }
  return found;
}
