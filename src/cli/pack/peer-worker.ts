// Worker thread that computes the other methods.

import { parentPort, workerData } from 'node:worker_threads';
import type { PackingProblem } from '../../core/packing/packing-problem.ts';
import { answersOf } from './peers.ts';

for (const answer of answersOf(workerData as PackingProblem)) parentPort?.postMessage(answer);
