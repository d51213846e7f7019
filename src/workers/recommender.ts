// Worker thread of the recommender: answers messages in order.

import { parentPort, workerData } from 'node:worker_threads';
import { handleRequest, RecommenderService, type WorkerRequest } from '../core/recommender/recommender-service.ts';

const { sequence } = workerData as { readonly sequence: number };
const service = new RecommenderService(sequence);
parentPort?.on('message', (request: WorkerRequest) => parentPort?.postMessage(handleRequest(service, request)));
