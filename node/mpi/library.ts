/**
 * Finds the MPI library of this system: that of the launcher, so that both speak the same language.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { GaussianizeError } from "../../src/errors.js";
import type { Environment, Launch } from "./launch.js";

/** Names a library, where the usual places do not have the right one. */
export const libraryVariable = "GAUSSIANIZE_MPI";

/**
 * As the loader of the system looks for them, LD_LIBRARY_PATH first: `module load` of a cluster
 * sets that.
 */
const fileNames = {
  "Open MPI":
    process.platform === "darwin"
      ? ["libmpi.40.dylib", "libmpi.dylib"]
      : ["libmpi.so.40", "libmpi.so.80"],
  MPICH:
    process.platform === "darwin"
      ? ["libmpi.12.dylib", "libmpich.dylib"]
      : ["libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", "libmpi_gnu.so.12"],
} as const;
const anyNames = process.platform === "darwin" ? [] : ["libmpi.so"];

/** Where the file of a library that does not load may lie. */
const folders = [
  "/usr/lib/x86_64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
  "/usr/lib64",
  "/usr/lib64/openmpi/lib",
  "/usr/lib64/mpich/lib",
  "/usr/lib",
  "/usr/local/lib",
  "/opt/homebrew/lib",
];

/** The parts of koffi that are used. */
export interface ForeignLibrary {
  func(definition: string): ForeignFunction;
  symbol(name: string): bigint;
}

export type ForeignFunction = (...values: readonly unknown[]) => number;

interface ForeignLoader {
  load(path: string | null, options?: { readonly global: boolean }): ForeignLibrary;
}

export interface MpiLibrary {
  readonly library: ForeignLibrary;
  /** This process itself: the functions of C. */
  readonly system: ForeignLibrary;
  readonly path: string;
}

/**
 * UCX, which both libraries may move data with, by default puts itself between a program and its
 * memory, and takes over signals: Node's own heap then breaks now and then, and V8 needs SIGSEGV
 * for WebAssembly. Whoever set these knows better.
 */
const settings = {
  UCX_MEM_EVENTS: "n",
  UCX_MEM_MMAP_HOOK_MODE: "none",
  UCX_MEM_MALLOC_HOOKS: "n",
  UCX_ERROR_SIGNALS: "",
} as const;

/** `usual` are the names that are tried where the environment has none. */
export async function openMpiLibrary(
  environment: Environment,
  launch: Launch,
  usual = usualNames(launch),
): Promise<MpiLibrary> {
  const loader = await foreignLoader();
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value;
  const named = environment[libraryVariable];
  const candidates = named === undefined || named === "" ? usual : [named];
  const refusals: string[] = [];
  for (const path of candidates) {
    try {
      // Its plug-ins look for its symbols among those that are known to all.
      return { library: loader.load(path, { global: true }), system: loader.load(null), path };
    } catch {
      const refusal = refusalOf(path, environment);
      if (refusal !== undefined) refusals.push(refusal);
    }
  }
  throw notFound(candidates, refusals, named);
}

function usualNames({ flavour }: Launch): readonly string[] {
  const { MPICH: ofMpich, "Open MPI": ofOpenMpi } = fileNames;
  const inOrder = flavour === "MPICH" ? [ofMpich, ofOpenMpi] : [ofOpenMpi, ofMpich];
  return [...inOrder.flat(), ...anyNames];
}

async function foreignLoader(): Promise<ForeignLoader> {
  try {
    return ((await import("koffi")) as unknown as { default: ForeignLoader }).default;
  } catch (error) {
    throw new GaussianizeError(
      "unavailable",
      `--distributed mpi needs the package koffi, which is not there for this system: npm install koffi (${(error as Error).message.split("\n")[0]}).`,
    );
  }
}

/**
 * What is wrong with a file that is there, in the words of the system's loader; undefined where
 * there is none.
 */
function refusalOf(path: string, environment: Environment): string | undefined {
  const searched = [...(environment.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean), ...folders];
  const file = path.includes("/")
    ? path
    : searched.map((folder) => join(folder, path)).find(existsSync);
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    // koffi tells less; this always fails, since a library of C is no module of Node.
    process.dlopen({ exports: {} }, file);
  } catch (error) {
    return `${file} does not load (${(error as Error).message.split("\n")[0]})`;
  }
  return `${file} does not load`;
}

function notFound(
  candidates: readonly string[],
  refusals: readonly string[],
  named: string | undefined,
): GaussianizeError {
  if (refusals.length > 0)
    return new GaussianizeError("unavailable", `MPI cannot be used: ${refusals.join("; ")}.`);
  if (named !== undefined && named !== "") {
    return new GaussianizeError(
      "unavailable",
      `${libraryVariable} names ${named}, which does not exist.`,
    );
  }
  return new GaussianizeError(
    "unavailable",
    `No MPI library was found (looked for ${candidates.join(", ")}, as the system's loader does): install openmpi-bin or mpich on Debian and Ubuntu, load the MPI module on a cluster (module load openmpi), or name the library in ${libraryVariable}.`,
  );
}
