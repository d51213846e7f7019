// A thread that learns from usage and advises: messages in, messages out, in order.

import { parentPort, workerData } from 'node:worker_threads';
import { handleRequest, RecommenderService, type WorkerRequest } from '../core/recommender/recommender-service.ts';

const { sequence } = workerData as { readonly sequence: number };
const service = new RecommenderService(sequence);
parentPort?.on('message', (request: WorkerRequest) => parentPort?.postMessage(handleRequest(service, request)));
