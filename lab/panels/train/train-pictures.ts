/**
 * The pictures of the panel: files of the user, or else photographs that come with the page, never both together. They stay while
 * other panels are open.
 */
import { type Signal, signal } from "@preact/signals";
import { compute } from "../../compute/compute.js";
import { compareNames } from "../../../src/runs/compare-names.js";
import { type LabPhotograph, labPhotographs, loadPhotograph } from "../../photographs.js";
import { sentenceOf } from "../../sentence-of.js";
import type { PictureLook } from "./look-at-picture-job.js";
import { pathOfPhotograph, photographFile } from "./picture-paths.js";

export interface TrainPicture {
  readonly key: string;
  readonly title: string;
  /** As the terms of a fit name it. */
  readonly path: string;
  /** Null until it is loaded. */
  readonly file: File | null;
  /** Null until the worker has looked at it. */
  readonly look: PictureLook | null;
}

export interface Reading {
  /** How many of them are read. */
  readonly done: number;
  readonly of: number;
}

const mostPictures = 500;

export class TrainPictures {
  /** By their names. */
  readonly photographs: Signal<ReadonlyMap<string, TrainPicture>> = signal(new Map());
  /** In the order of their names, as the command takes a folder. */
  readonly own: Signal<readonly TrainPicture[]> = signal([]);
  /** Where there are own ones, whether the fit is made of them. */
  readonly prefersOwn = signal(false);
  /** Files that were dropped, until all of them are read: a fit of some of them is not what was meant. */
  readonly reading: Signal<Reading | null> = signal(null);
  /** Sentences. */
  readonly problems: Signal<readonly string[]> = signal([]);
  private readonly asked = new Set<string>();
  private lastKey = 0;

  /** Loads those that are not there yet, one after the other. */
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
      // As the package calls it: noise has the seed of the name, and the bits are to be those of `fit --embedded`.
      const file = new File([loaded], photographFile);
      const look = await compute("lookAtPicture", { file, side });
      const picture = { ...notLoaded(photograph), file, look };
      this.photographs.value = new Map([...this.photographs.value, [name, picture]]);
    } catch (error) {
      this.asked.delete(name);
      this.problems.value = [...this.problems.value, sentenceOf(error)];
    }
  }

  /**
   * They take the place of the photographs. What cannot be read is named, as is what was `leftOut` before; the others are kept.
   * `side` is that of the chosen patches.
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
        ? [`At most ${mostPictures} pictures have room here: ${tooMany} were left out.`]
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
        // Once: whoever goes back to the photographs meanwhile stays there.
        if (isFirst) this.prefersOwn.value = true;
        isFirst = false;
      }
      this.countOne();
    }
  }

  private async read(file: File, side: number): Promise<TrainPicture | null> {
    const { name } = file;
    try {
      const look = await compute("lookAtPicture", { file, side });
      return { key: `own ${++this.lastKey}`, title: name, path: name, file, look };
    } catch (error) {
      this.problems.value = [...this.problems.value, sentenceOf(error)];
      return null;
    }
  }

  private countOne(): void {
    const { done, of } = this.reading.value ?? { done: 0, of: 0 };
    this.reading.value = done + 1 < of ? { done: done + 1, of } : null;
  }

  remove(key: string): void {
    this.own.value = this.own.value.filter((picture) => picture.key !== key);
  }

  closeProblem(sentence: string): void {
    this.problems.value = this.problems.value.filter((other) => other !== sentence);
  }

  get usesOwn(): boolean {
    return this.prefersOwn.value && this.own.value.length > 0;
  }

  /** Photographs in their order, or those of the user. */
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

/** Patches that a picture has room for. */
export function patchesIn({ look }: TrainPicture, side: number): number {
  if (!look || look.width < side || look.height < side) return 0;
  return (look.width - side + 1) * (look.height - side + 1);
}
