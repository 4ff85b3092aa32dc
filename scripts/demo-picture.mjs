/**
 * The picture at the top of the README, from the model that the demo saves:
 *
 *   npx gaussianize demo --save gdn.safetensors
 *   node scripts/demo-picture.mjs gdn.safetensors docs/images/demo.png
 *
 * Patches of photographs, the filters of the GDN from coarse to fine, and draws from its density.
 */
import {
  asDisplayed,
  filterOrder,
  filterShapes,
  layerOf,
  patchMosaic,
  rowsInOrder,
  sample,
  sideBySide,
} from "gaussianize";
import { openRunner, readModel, writePng } from "gaussianize/node";
import { openPhotographs, patchesOf } from "../dist/cli/demo/data.js";

const [modelFile, pictureFile] = process.argv.slice(2);
const seed = 1;
const size = 8;
const shown = 64;
const layout = { size, columns: 8, zoom: 4 };

const model = await readModel(modelFile);
const { transform } = model;
const { H } = layerOf(model);
const filters = rowsInOrder(H, filterOrder(filterShapes(H, size)), size * size);

const photographs = await patchesOf(await openPhotographs(seed), "training", shown, seed);
const runner = await openRunner({ workers: 0 });
const drawn = await sample(runner, transform, shown, seed);
await runner.close();

/** @param {Parameters<typeof asDisplayed>[0]} values */
const asPatches = (values) => patchMosaic(asDisplayed(values), { ...layout, black: 0, white: 1 });
const parts = [asPatches(photographs), patchMosaic(filters, layout), asPatches(drawn)];
await writePng(pictureFile, sideBySide(parts, 16));
