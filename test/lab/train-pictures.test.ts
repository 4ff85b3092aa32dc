import { afterEach, expect, test, vi } from "vitest";
import { compute } from "../../lab/compute/compute.js";
import { TrainPictures, sortedFiles } from "../../lab/panels/train/train-pictures.js";

vi.mock(import("../../lab/compute/compute.js"), async (original) => ({
  ...(await original()),
  compute: vi.fn(),
}));

afterEach(() => {
  vi.mocked(compute).mockReset();
});

const look = { kind: "listed picture", width: 8, height: 8, thumbnail: null } as const;
const filesOf = (...names: string[]): File[] => names.map((name) => new File([], name));
const namesOf = (files: readonly File[]): string[] => files.map(({ name }) => name);

/** Lets the test decide when each picture is read. */
function heldLooks(): { readonly done: () => void; readonly failed: (reason: string) => void }[] {
  const looks: ReturnType<typeof heldLooks> = [];
  vi.mocked(compute).mockImplementation(
    () =>
      new Promise((resolve, reject) => {
        looks.push({
          done: () => {
            resolve(look);
          },
          failed: (reason) => {
            reject(new Error(reason));
          },
        });
      }),
  );
  return looks;
}

test("counts pictures being read until the last one, also those dropped meanwhile", async () => {
  const looks = heldLooks();
  const pictures = new TrainPictures();
  const first = pictures.add(filesOf("b.png", "no.png"), 4, ["Left out."]);
  expect(pictures.reading.value).toEqual({ done: 0, of: 2 });
  looks[0].done();
  await vi.waitUntil(() => looks.length === 2);
  expect(pictures.reading.value).toEqual({ done: 1, of: 2 });
  const second = pictures.add(filesOf("a.png"), 4);
  expect(pictures.reading.value).toEqual({ done: 1, of: 3 });
  looks[1].failed("Cannot read no.png.");
  await first;
  expect(pictures.reading.value).toEqual({ done: 2, of: 3 });
  looks[2].done();
  await second;
  expect(pictures.reading.value).toBeNull();
  expect(pictures.own.value.map(({ title }) => title)).toEqual(["a.png", "b.png"]);
  expect(pictures.problems.value).toEqual(["Left out.", "Cannot read no.png."]);
});

test("stays with the photographs if the user returns to them while pictures are read", async () => {
  const looks = heldLooks();
  const pictures = new TrainPictures();
  const added = pictures.add(filesOf("a.png", "b.png"), 4);
  looks[0].done();
  await vi.waitUntil(() => looks.length === 2);
  expect(pictures.usesOwn).toBe(true);
  pictures.prefersOwn.value = false;
  looks[1].done();
  await added;
  expect(pictures.usesOwn).toBe(false);
});

test("counts pictures being read towards the limit", async () => {
  vi.mocked(compute).mockResolvedValue(look);
  const pictures = new TrainPictures();
  const many = Array.from({ length: 300 }, (_, k) => `${k}.png`);
  await Promise.all([pictures.add(filesOf(...many), 4), pictures.add(filesOf(...many), 4)]);
  expect(pictures.own.value).toHaveLength(500);
  expect(pictures.problems.value).toEqual([expect.stringMatching(/500 pictures: 100 /)]);
});

test("sorts files dropped together, and names those it skips", () => {
  const all = ["a.png", "config.json", "b.safetensors", "c.jpg", "d.SAFETENSORS"];
  const { toOpen, pictures, leftOut } = sortedFiles(filesOf(...all));
  expect([toOpen?.file.name, toOpen?.config?.name]).toEqual(["b.safetensors", "config.json"]);
  expect(namesOf(pictures)).toEqual(["a.png", "c.jpg"]);
  expect(leftOut).toEqual([expect.stringContaining("d.SAFETENSORS was skipped")]);
  expect(sortedFiles(filesOf("config.json"))).toEqual({
    toOpen: null,
    pictures: [],
    leftOut: [expect.stringContaining("config.json belongs to")],
  });
});
