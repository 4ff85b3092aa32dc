/** All jobs that a worker can do. */
import { convolutionJob, tapJob } from "./density/images/convolution-job.js";
import { determinantJob, frequencyJob } from "./density/images/frequency-job.js";
import { transformJob } from "./density/transform-job.js";
import { verifyJob } from "./density/verification/job.js";
import { lastRoundJob } from "./denoising/guided/last-round-job.js";
import { guidedFitJob } from "./denoising/guided/guided-fit-job.js";
import { expandedJob } from "./denoising/expanded-estimates.js";
import { estimateJob } from "./denoising/guided/estimate-job.js";
import { similarJob } from "./denoising/self-similar/similar-job.js";
import { informationJob } from "./evaluation/mutual-information/information-job.js";
import type { AnyJob } from "./parallel/serve-jobs.js";

export const jobs: readonly AnyJob[] = [
  transformJob,
  verifyJob,
  frequencyJob,
  determinantJob,
  convolutionJob,
  tapJob,
  guidedFitJob,
  lastRoundJob,
  expandedJob,
  estimateJob,
  similarJob,
  informationJob,
];
