// Worker thread of the recommender: answers messages in order.

import { parentPort, workerData } from 'node:worker_threads';
import { handleRecommenderRequest, type RecommenderRequest } from '../adapters/workers/recommender-messages.ts';
import { RecommenderService } from '../core/recommender/recommender-service.ts';

const { sequence } = workerData as { readonly sequence: number };
const service = new RecommenderService(sequence);
parentPort?.on('message', (request: RecommenderRequest) => parentPort?.postMessage(handleRecommenderRequest(service, request)));
