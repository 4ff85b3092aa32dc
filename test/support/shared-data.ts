import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const besideTheProject = fileURLToPath(new URL("../../../shared/", import.meta.url));

/** Where the real images are looked for: GAUSSIANIZE_SHARED, or the folder beside the project. */
export const sharedPath = process.env.GAUSSIANIZE_SHARED ?? besideTheProject;

/** Tests in test/data/ say `describe.skipIf(!hasSharedData)`. */
export const hasSharedData = existsSync(sharedPath);
