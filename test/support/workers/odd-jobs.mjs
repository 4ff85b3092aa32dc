/** A worker thread that knows the jobs of jobs.mjs. */
import { serveJobs } from "../../../dist/src/parallel/serve-jobs.js";
import { jobs } from "./jobs.mjs";
import { poolPort } from "./pool-port.mjs";

serveJobs(poolPort, jobs);
