/**
 * The pictures of the panel: either files of the user or photographs of the lab. They stay while
 * other panels are open.
 */
import { type Signal, signal } from "@preact/signals";
import { checkFile } from "../../check-file.js";
import type { FactsOf } from "../../compute/check-file-job.js";
import { isModelFile, namedFile } from "../../named-file.js";
import { compareNames } from "../../../src/runs/compare-names.js";
import { type LabPhotograph, labPhotographs, loadPhotograph } from "../../photographs.js";
import { sentenceOf } from "../../problem.js";
import { pathOfPhotograph, photographFile } from "./picture-paths.js";
import type { CheckpointFiles } from "./train-job.js";

export interface TrainPicture {
  readonly key: string;
  readonly title: string;
  /** Name in the terms of the fit. */
  readonly path: string;
  /** Null until it is loaded. */
  readonly file: File | null;
  /** Null until the worker has read it. */
  readonly look: FactsOf<"listed picture"> | null;
}

export interface Reading {
  /** Number of files read so far. */
  readonly done: number;
  readonly of: number;
}

const mostPictures = 500;

export class TrainPictures {
  /** Loaded photographs by name. */
  private readonly photographs: Signal<ReadonlyMap<string, TrainPicture>> = signal(new Map());
  /** Pictures of the user, sorted by name as the command sorts a folder. */
  readonly own: Signal<readonly TrainPicture[]> = signal([]);
  /** Whether the user wants own pictures, if there are any. */
  readonly prefersOwn = signal(false);
  /** Null when all dropped files are read. Until then no fit can start. */
  readonly reading: Signal<Reading | null> = signal(null);
  readonly problems: Signal<readonly string[]> = signal([]);
  private readonly asked = new Set<string>();
  private lastKey = 0;

  /** Loads photographs that are not loaded yet, one after the other. */
  async load(names: readonly string[], side: number): Promise<void> {
    const wanted = labPhotographs.filter(
      ({ name }) => names.includes(name) && !this.asked.has(name),
    );
    for (const { name } of wanted) this.asked.add(name);
    for (const photograph of wanted) await this.loadOne(photograph, side);
  }

  private async loadOne(photograph: LabPhotograph, side: number): Promise<void> {
    const { name } = photograph;
    try {
      const loaded = await loadPhotograph(photograph);
      // The package's name of the file seeds the noise. With it, the bits are those of
      // `fit --embedded`.
      const file = new File([loaded], photographFile);
      const look = await lookAt(file, side);
      const picture = { ...notLoaded(photograph), file, look };
      this.photographs.value = new Map([...this.photographs.value, [name, picture]]);
    } catch (error) {
      this.asked.delete(name);
      this.addProblem(error);
    }
  }

  /**
   * Adds files of the user, which replace the photographs. Unreadable files are skipped with a
   * message. `side` is that of the chosen patches; `leftOut` are messages about other files.
   */
  async add(files: readonly File[], side: number, leftOut: readonly string[] = []): Promise<void> {
    const before = this.reading.value ?? { done: 0, of: 0 };
    const room = Math.max(0, mostPictures - this.own.value.length - before.of + before.done);
    const taken = files.slice(0, room);
    const tooMany = files.length - taken.length;
    this.problems.value = [
      ...(this.reading.value ? this.problems.value : []),
      ...leftOut,
      ...(tooMany > 0
        ? [`The panel holds at most ${mostPictures} pictures: ${tooMany} were skipped.`]
        : []),
    ];
    if (taken.length === 0) return;
    this.reading.value = { ...before, of: before.of + taken.length };
    let isFirst = true;
    for (const file of taken) {
      const picture = await this.read(file, side);
      if (picture) {
        this.own.value = [...this.own.value, picture].sort((a, b) =>
          compareNames(a.title, b.title),
        );
        // Only once, so that the user can return to the photographs meanwhile.
        if (isFirst) this.prefersOwn.value = true;
        isFirst = false;
      }
      this.countOne();
    }
  }

  private async read(file: File, side: number): Promise<TrainPicture | null> {
    const { name } = file;
    try {
      const look = await lookAt(file, side);
      return { key: `own ${++this.lastKey}`, title: name, path: name, file, look };
    } catch (error) {
      this.addProblem(error);
      return null;
    }
  }

  private addProblem(error: unknown): void {
    this.problems.value = [...this.problems.value, sentenceOf(error)];
  }

  private countOne(): void {
    const { done, of } = this.reading.value ?? { done: 0, of: 0 };
    this.reading.value = done + 1 < of ? { done: done + 1, of } : null;
  }

  readonly remove = (key: string): void => {
    this.own.value = this.own.value.filter((picture) => picture.key !== key);
  };

  readonly closeProblem = (sentence: string): void => {
    this.problems.value = this.problems.value.filter((other) => other !== sentence);
  };

  get usesOwn(): boolean {
    return this.prefersOwn.value && this.own.value.length > 0;
  }

  /** Returns the pictures of the user, or the named photographs in their order. */
  chosen(names: readonly string[]): readonly TrainPicture[] {
    if (this.usesOwn) return this.own.value;
    return labPhotographs
      .filter(({ name }) => names.includes(name))
      .map((photograph) => this.photographs.value.get(photograph.name) ?? notLoaded(photograph));
  }
}

function notLoaded(photograph: LabPhotograph): TrainPicture {
  const { name, title } = photograph;
  return { key: name, title, path: pathOfPhotograph(photograph), file: null, look: null };
}

function lookAt(file: File, patchSide: number): Promise<FactsOf<"listed picture">> {
  return checkFile(["listed picture"], { ...namedFile(file), patchSide });
}

/** Returns the number of different patches in a picture. */
export function patchesIn({ look }: TrainPicture, side: number): number {
  if (!look || look.width < side || look.height < side) return 0;
  return (look.width - side + 1) * (look.height - side + 1);
}

interface SortedFiles {
  /** A model or a checkpoint. */
  readonly toOpen: CheckpointFiles | null;
  /** All other files; the reader checks whether they are pictures. */
  readonly pictures: readonly File[];
  /** Messages about skipped files. */
  readonly leftOut: readonly string[];
}

/** Sorts files that were dropped together. */
export function sortedFiles(files: readonly File[]): SortedFiles {
  const models = files.filter(isModelFile);
  const config = files.find(({ name }) => name === "config.json") ?? null;
  return {
    toOpen: models.length > 0 ? { file: models[0], config } : null,
    pictures: files.filter((other) => !models.includes(other) && other !== config),
    leftOut: [
      ...(config && models.length === 0
        ? ["config.json belongs to the checkpoint of a run. Drop both together."]
        : []),
      ...models
        .slice(1)
        .map(({ name }) => `${name} was skipped: only one model or checkpoint can be open.`),
    ],
  };
}
