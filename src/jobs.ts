/** Everything a worker can do. A new job is one more entry. */
import { gdnJob } from "./density/gdn-job.js";
import type { AnyJob } from "./parallel/serve-jobs.js";

export const jobs: readonly AnyJob[] = [gdnJob];
