/** The public image sets that `gaussianize data` knows, as their publishers describe them. */
import { UsageError, describeValue } from "../src/errors.js";
import { sumsOfFolders } from "./data-sums.js";

export interface DataFile {
  /** Path inside the data folder or a mirror, with forward slashes: `kodak/kodim01.png`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface DataSet {
  readonly name: string;
  /** Folders of the set; each is also the name of a part: `bsds300/train`. */
  readonly folders: readonly string[];
  readonly title: string;
  readonly about: string;
  /** Licence in the words of the publisher; this project grants nothing. */
  readonly licence: string;
  /** Page with the publisher's description. */
  readonly page: string;
  /** Base URL of the files; missing if the publisher offers no separate files. */
  readonly address?: string;
  /** Instructions for a set without an address, completing "to obtain it, …". */
  readonly byHand?: string;
}

export const dataSets: readonly DataSet[] = [
  {
    name: "kodak",
    folders: ["kodak"],
    title: "Kodak Lossless True Color Image Suite",
    about: "24 photographs from the Photo CD sampler PCD0992; PNG, RGB, 8 bit, 768×512 or 512×768",
    licence:
      '"released by the Eastman Kodak Company for unrestricted usage", as its page understands; no formal licence text',
    page: "http://r0k.us/graphics/kodak/",
    address: "http://r0k.us/graphics/kodak/",
  },
  {
    name: "bsds300",
    folders: ["bsds300/train", "bsds300/test"],
    title: "Berkeley Segmentation Dataset 300",
    about:
      "300 photographs (Martin et al., ICCV 2001), 200 for training and 100 for tests; JPEG, RGB, 481×321 or 321×481",
    licence: 'free download "for non-commercial research and educational purposes"',
    page: "https://www2.eecs.berkeley.edu/Research/Projects/CS/vision/bsds/",
    byHand:
      "unpack BSDS300-images.tgz of its page and put images/train and images/test into the folder bsds300",
  },
  {
    name: "bsd68",
    folders: ["bsd68"],
    title: "BSD68",
    about:
      "68 test images of BSDS300 in grey (Roth & Black 2005), the usual ones for denoising; PNG, 8 bit",
    licence: "as BSDS300",
    page: "https://github.com/cszn/DnCNN",
    byHand: "put testsets/BSD68 of that repository into the data folder as bsd68",
  },
  {
    name: "vanhateren",
    folders: ["vanhateren"],
    title: "van Hateren natural images, 32 of 4167",
    about:
      "calibrated photographs of natural scenes (van Hateren & van der Schaaf 1998); raw .iml, 1536×1024, 16 bit, big-endian, linear",
    licence:
      '"can be used freely for scientific, non-commercial uses", with citation of the 1998 article',
    page: "http://bethgelab.org/datasets/vanhateren/",
    byHand:
      "put its files imkNNNNN.iml, from its page or from https://pirsquared.org/research/vhatdb/, into the folder vanhateren",
  },
];

export const namesOfSets: readonly string[] = dataSets.map(({ name }) => name);

/** Returns the set of that name, or throws. */
export function dataSet(name: string): DataSet {
  const set = dataSets.find((each) => each.name === name);
  if (set) return set;
  throw new UsageError(
    `There is no set ${describeValue(name)}; the known ones are ${namesOfSets.join(", ")}.`,
  );
}

/** Returns all files of a set, sorted by path. */
export function filesOfSet({ folders }: DataSet): readonly DataFile[] {
  return folders.flatMap(filesOfFolder).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function filesOfFolder(folder: string): DataFile[] {
  const words = sumsOfFolders[folder].trim().split(/\s+/);
  return Array.from({ length: words.length / 3 }, (_, k) => {
    const [name, bytes, sha256] = words.slice(3 * k, 3 * k + 3);
    return { path: `${folder}/${name}`, bytes: Number(bytes), sha256 };
  });
}

export function bytesOf(files: readonly DataFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
