// Messages to a recommender thread: those of the recommender, and samples as columns.

import {
  handleRequest,
  type RecommenderService,
  type RecommenderUpdate,
  type WorkerReply,
  type WorkerRequest,
} from '../../core/recommender/recommender-service.ts';
import { decodeSamples, encodeSamples, type SampleColumns, type SampleUpdate } from './sample-columns.ts';

export type RecommenderRequest = WorkerRequest | { readonly type: 'samples'; readonly samples: SampleColumns };

/** Messages with these updates, in their order. */
export function* requestsOf(batch: readonly RecommenderUpdate[]): Generator<RecommenderRequest> {
  let samples: SampleUpdate[] = [];
  for (const update of batch) {
    if (update.kind === 'sample') {
      samples.push(update);
      continue;
    }
    if (samples.length > 0) yield { type: 'samples', samples: encodeSamples(samples) };
    samples = [];
    yield { type: 'notify', batch: [update] };
  }
  if (samples.length > 0) yield { type: 'samples', samples: encodeSamples(samples) };
}

/** Handles a message in the thread. */
export function handleRecommenderRequest(service: RecommenderService, request: RecommenderRequest): WorkerReply {
  return handleRequest(service, request.type === 'samples' ? { type: 'notify', batch: decodeSamples(request.samples) } : request);
}
