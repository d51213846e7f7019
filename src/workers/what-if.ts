// Worker thread of what-if questions: answers messages in order.

import { parentPort } from 'node:worker_threads';
import type { WhatIfReply, WhatIfRequest } from '../adapters/workers/what-if-thread.ts';
import { RemovalService } from '../core/scheduling/removals/removal-service.ts';

const service = new RemovalService();
parentPort?.on('message', ({ id, question }: WhatIfRequest) => {
  parentPort?.postMessage({ id, answer: service.answer(question) } satisfies WhatIfReply);
});
