/** Real MPI jobs of the built program, for tests. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

export interface Launcher {
  readonly name: string;
  readonly command: readonly string[];
}

/** Debian names both; without these, mpirun is whatever there is. */
const known: readonly Launcher[] = [
  {
    name: "Open MPI",
    command: ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"],
  },
  { name: "MPICH", command: ["mpirun.mpich"] },
];

/**
 * Those of this system. Where CI requires Open MPI, its absence fails; `.ci/run` says when it could
 * not be installed.
 */
export function launchers(): readonly Launcher[] {
  const found = known.filter(({ command: [program] }) => !spawnSync(program, ["--version"]).error);
  if (
    process.env.CI &&
    !process.env.GAUSSIANIZE_WITHOUT_MPI &&
    !found.some(({ name }) => name === "Open MPI")
  ) {
    throw new Error("mpirun of Open MPI is missing: .ci/run installs Debian's openmpi-bin.");
  }
  return found;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Job {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** In seconds; a job that hangs is ended with all its processes. */
const longest = 120;

/** `gaussianize` on so many ranks. */
export function startJob(
  { command }: Launcher,
  ranks: number,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Job {
  const [program, ...flags] = command;
  const child = spawn(
    program,
    [...flags, "-n", String(ranks), process.execPath, "dist/cli/main.js", ...words],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const timer = setTimeout(() => child.kill("SIGTERM"), 1000 * longest);
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      clearTimeout(timer);
      // Some launchers give ranks a terminal.
      resolve({ code, stdout: plain(stdout), stderr: plain(stderr) });
    });
  });
  return { child, ended };
}

function plain(text: string): string {
  return text.replaceAll("\r", "").replace(/\u001b\[[0-9;]*[A-Za-z]/g, "");
}

/** The process of a rank of the job that writes into the given folder. */
export function processOfRank(output: string, rank: number): number {
  const found = readdirSync("/proc").filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const words = readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
      if (!words[1]?.endsWith("dist/cli/main.js") || !words.includes(output)) return false;
      const environment = readFileSync(`/proc/${id}/environ`, "utf8").split("\0");
      return ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].some((name) =>
        environment.includes(`${name}=${rank}`),
      );
    } catch {
      return false;
    }
  });
  if (found.length !== 1)
    throw new Error(`${found.length} processes are rank ${rank} of ${output}`);
  return Number(found[0]);
}
