import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRouter } from '../api-router.ts';
import { list } from '../reply.ts';

/** What was done: the timeline. */
export function scalingRoutes(api: ApiRouter, { scaling }: ReadModels): void {
  api.on('listScaling', async ({ scope, query }) => list(await scaling.list(scope, query)));
}
