/** Finds and loads the MPI library that matches the launcher. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { GaussianizeError } from "../../src/errors.js";
import type { Environment, Launch } from "./launch.js";

/** Environment variable with the path of the library, if the default one is wrong. */
export const libraryVariable = "GAUSSIANIZE_MPI";

/**
 * File names that the system's loader searches, first in LD_LIBRARY_PATH, which `module load` sets
 * on a cluster.
 */
const fileNames =
  process.platform === "darwin"
    ? {
        "Open MPI": ["libmpi.40.dylib", "libmpi.dylib"],
        MPICH: ["libmpi.12.dylib", "libmpich.dylib"],
        any: [],
      }
    : {
        "Open MPI": ["libmpi.so.40", "libmpi.so.80"],
        MPICH: ["libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", "libmpi_gnu.so.12"],
        any: ["libmpi.so"],
      };

/** Folders to search for a library that does not load, to report the reason. */
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
  /** Functions of C in this process. */
  readonly system: ForeignLibrary;
  readonly path: string;
}

/**
 * Settings of UCX, the transport of both libraries, unless the user has set them. By default UCX
 * intercepts memory allocation and signals, which sometimes corrupts Node's heap, and V8 needs
 * SIGSEGV for WebAssembly.
 */
const settings = {
  UCX_MEM_EVENTS: "n",
  UCX_MEM_MMAP_HOOK_MODE: "none",
  UCX_MEM_MALLOC_HOOKS: "n",
  UCX_ERROR_SIGNALS: "",
} as const;

/** Loads the library that the environment names, or the first of `usual` that loads. */
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
      // Its plug-ins look for its symbols among the global ones.
      return { library: loader.load(path, { global: true }), system: loader.load(null), path };
    } catch {
      const refusal = refusalOf(path, environment);
      if (refusal !== undefined) refusals.push(refusal);
    }
  }
  throw notFound(candidates, refusals, named);
}

function usualNames({ flavour }: Launch): readonly string[] {
  const { MPICH: ofMpich, "Open MPI": ofOpenMpi, any } = fileNames;
  return flavour === "MPICH"
    ? [...ofMpich, ...ofOpenMpi, ...any]
    : [...ofOpenMpi, ...ofMpich, ...any];
}

async function foreignLoader(): Promise<ForeignLoader> {
  try {
    return ((await import("koffi")) as unknown as { default: ForeignLoader }).default;
  } catch (error) {
    throw new GaussianizeError(
      "unavailable",
      `--distributed mpi needs the package koffi, which could not be loaded (${firstLine(error)}). Try "npm install koffi".`,
    );
  }
}

function firstLine(error: unknown): string {
  return (error as Error).message.split("\n")[0];
}

/** Returns the loader's reason for a file that exists but does not load, or undefined. */
function refusalOf(path: string, environment: Environment): string | undefined {
  const searched = [...(environment.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean), ...folders];
  const file = path.includes("/")
    ? path
    : searched.map((folder) => join(folder, path)).find(existsSync);
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    // Always throws, since the library is not a Node module, and tells more than koffi.
    process.dlopen({ exports: {} }, file);
  } catch (error) {
    return `${file} does not load (${firstLine(error)})`;
  }
  return `${file} does not load`;
}

function notFound(
  candidates: readonly string[],
  refusals: readonly string[],
  named: string | undefined,
): GaussianizeError {
  const message =
    refusals.length > 0
      ? `MPI cannot be used: ${refusals.join("; ")}.`
      : named
        ? `${libraryVariable} names ${named}, which does not exist.`
        : `No MPI library was found (looked for ${candidates.join(", ")}). On Debian or Ubuntu, install openmpi-bin or mpich. On a cluster, load the MPI module (module load openmpi). Or name the library in ${libraryVariable}.`;
  return new GaussianizeError("unavailable", message);
}
