/**
 * Files dropped on a panel. All panels follow the same rules:
 *
 * - A file that cannot be read changes nothing; a message says why.
 * - Files are read one after the other. Of two files for the same place, the later one wins.
 * - A file is discarded if the user makes another choice for its place while it is read.
 */
import { type Signal, batch, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { sentenceOf } from "./problem.js";

/** Applies a file to the state held by the panel, which may have changed while it was read. */
export type Change<Held> = (before: Held) => Held;

export interface FileToRead<Held> {
  readonly file: File;
  readonly place: string;
  /** Rejects with a message for users if the file cannot be used. */
  readonly read: () => Promise<Change<Held>>;
  readonly onTaken?: () => void;
}

export class DroppedFiles<Held> {
  readonly held: Signal<Held>;
  readonly problems: Signal<readonly string[]> = signal([]);
  private readonly wanted: Signal<readonly FileToRead<Held>[]> = signal([]);
  private last = Promise.resolve();

  constructor(nothing: Held) {
    this.held = signal(nothing);
  }

  /** Name of the file being read. */
  get reading(): string | null {
    return this.wanted.value.at(0)?.file.name ?? null;
  }

  /** Starts reading files. `refused` are messages about files dropped with them. */
  readonly take = (files: readonly FileToRead<Held>[], refused: readonly string[] = []): void => {
    this.problems.value = refused;
    const places = new Set(files.map(({ place }) => place));
    const others = this.wanted.value.filter(({ place }) => !places.has(place));
    this.wanted.value = [...others, ...files];
    for (const item of files) this.last = this.last.then(() => this.read(item));
  };

  readonly change = (change: Change<Held>): void => {
    this.held.value = change(this.held.value);
  };

  /** Discards the files being read for a place. */
  readonly discard = (place: string): void => {
    this.wanted.value = this.wanted.value.filter((item) => item.place !== place);
  };

  readonly closeProblem = (sentence: string): void => {
    this.problems.value = this.problems.value.filter((other) => other !== sentence);
  };

  private async read(item: FileToRead<Held>): Promise<void> {
    const isWanted = (): boolean => this.wanted.value.includes(item);
    if (!isWanted()) return;
    const outcome = await item.read().catch(sentenceOf);
    if (!isWanted()) return;
    batch(() => {
      this.wanted.value = this.wanted.value.filter((other) => other !== item);
      if (typeof outcome === "string") {
        this.problems.value = [...this.problems.value, outcome];
      } else {
        this.change(outcome);
        item.onTaken?.();
      }
    });
  }
}

export interface Dropped<Held> extends Omit<DroppedFiles<Held>, "held" | "problems"> {
  readonly held: Held;
  readonly problems: readonly string[];
}

export function useDropped<Held>(nothing: Held): Dropped<Held> {
  const [files] = useState(() => new DroppedFiles(nothing));
  const { held, problems, reading, take, change, discard, closeProblem } = files;
  return {
    held: held.value,
    problems: problems.value,
    reading,
    take,
    change,
    discard,
    closeProblem,
  };
}
