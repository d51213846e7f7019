// Worker thread that replays recordings one after the other.

import { parentPort } from 'node:worker_threads';
import { type ReplayJob, runReplayJob } from './replay-job.ts';

parentPort?.on('message', (job: ReplayJob) => parentPort?.postMessage(runReplayJob(job)));
