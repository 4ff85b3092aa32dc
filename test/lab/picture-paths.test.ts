import { expect, test } from "vitest";
import { labPhotographs } from "../../lab/photographs.js";
import {
  areAllPhotographs,
  namesOfPictures,
  pathOfPhotograph,
} from "../../lab/panels/train/picture-paths.js";
import { embeddedPhotographs } from "../../node/embedded-photographs.js";

test("recognises the lab's photographs by their paths in the page and in the command", () => {
  const ofPage = labPhotographs.map(pathOfPhotograph);
  const ofCommand = embeddedPhotographs().map(({ path }) => path);
  for (const paths of [ofPage, ofCommand, Array<string>(8).fill("image.jpg")]) {
    expect(areAllPhotographs(paths)).toBe(true);
    expect(namesOfPictures(paths)).toBe("the lab’s eight photographs");
  }
  for (const paths of [ofPage.slice(6), ofCommand.slice(6)]) {
    expect(areAllPhotographs(paths)).toBe(false);
    expect(namesOfPictures(paths)).toBe("“A March pastoral, Suffolk”, “Boats in river, Nagasaki”");
  }
  expect(areAllPhotographs([...ofPage].reverse())).toBe(false);
});

test("names other pictures by their files", () => {
  expect(namesOfPictures(["/a/b.png", "C:\\a\\c.png", "image.jpg"])).toBe(
    "b.png, c.png, image.jpg",
  );
  const many = Array.from({ length: 10 }, (_, k) => `${k}.png`);
  expect(namesOfPictures(many)).toMatch(/^0\.png, .*, 7\.png and 2 more$/);
});
