import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const besideTheProject = fileURLToPath(new URL("../../../shared/", import.meta.url));

/** Folder of the real images: GAUSSIANIZE_SHARED, or the folder beside the project. */
export const sharedPath = process.env.GAUSSIANIZE_SHARED ?? besideTheProject;

/** Tests in test/data/ use `describe.skipIf(!hasSharedData)`. */
export const hasSharedData = existsSync(sharedPath);
