import { describe, expect, test, vi } from "vitest";
import { DroppedFiles, type FileToRead } from "../../lab/use-dropped.js";

interface HeldFile extends FileToRead<readonly string[]> {
  readonly done: () => void;
  readonly failed: (sentence: string) => void;
  readonly onTaken: ReturnType<typeof vi.fn<() => void>>;
  readonly begun: () => boolean;
}

/** A file that adds its name when the test says that it is read. */
function heldFile(name: string, place = "picture"): HeldFile {
  let done: HeldFile["done"] = () => undefined;
  let failed: HeldFile["failed"] = () => undefined;
  const isRead = new Promise<void>((resolve, reject) => {
    done = resolve;
    failed = (sentence) => {
      reject(new Error(sentence));
    };
  });
  let isBegun = false;
  return {
    file: new File([], name),
    place,
    read: async () => {
      isBegun = true;
      await isRead;
      return (before) => [...before, name];
    },
    onTaken: vi.fn(),
    begun: () => isBegun,
    done,
    failed,
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("dropped files", () => {
  test("are read one after the other", async () => {
    const files = new DroppedFiles<readonly string[]>([]);
    const [a, b] = [heldFile("a", "1"), heldFile("b", "2")];
    files.take([a, b]);
    await settled();
    expect([files.reading, a.begun(), b.begun()]).toEqual(["a", true, false]);
    b.done();
    a.done();
    await settled();
    expect([files.reading, files.held.value]).toEqual([null, ["a", "b"]]);
    expect(a.onTaken).toHaveBeenCalledOnce();
  });

  test("that cannot be read only add a problem, which can be closed", async () => {
    const files = new DroppedFiles<readonly string[]>(["before"]);
    const a = heldFile("a");
    files.take([a], ["b was left out."]);
    a.failed("Cannot read a.");
    await settled();
    expect(files.held.value).toEqual(["before"]);
    expect(a.onTaken).not.toHaveBeenCalled();
    expect(files.problems.value).toEqual(["b was left out.", "Cannot read a."]);
    files.closeProblem("b was left out.");
    expect(files.problems.value).toEqual(["Cannot read a."]);
    files.take([heldFile("c")]);
    expect(files.problems.value).toEqual([]);
  });

  test("for the same place replace each other, whichever takes longer", async () => {
    const files = new DroppedFiles<readonly string[]>([]);
    const [a, b, c] = [heldFile("a"), heldFile("b"), heldFile("c")];
    files.take([a]);
    await settled();
    files.take([b]);
    files.take([c]);
    expect(files.reading).toBe("c");
    a.done();
    c.done();
    await settled();
    expect([files.held.value, b.begun()]).toEqual([["c"], false]);
  });

  test("are discarded when the user makes another choice for their place", async () => {
    const files = new DroppedFiles<readonly string[]>([]);
    const [model, picture] = [heldFile("model", "model"), heldFile("picture")];
    files.take([model]);
    files.take([picture]);
    await settled();
    files.discard("model");
    expect(files.reading).toBe("picture");
    model.failed("Cannot read model.");
    picture.done();
    await settled();
    expect([files.held.value, files.problems.value]).toEqual([["picture"], []]);
  });
});
