import type { ReadModels } from '../../queries/read-models.ts';
import type { ApiRouter } from '../api-router.ts';
import { list, one } from '../reply.ts';

/** Cluster, nodes, pods and namespaces: no logic here beyond asking and shaping. */
export function clusterRoutes(api: ApiRouter, { cluster, nodes, pods, namespaces }: ReadModels): void {
  api.on('getCluster', () => one<'getCluster'>(cluster.get()));
  api.on('getClusterUsage', async ({ query }) => one<'getClusterUsage'>(await cluster.usage(query)));
  api.on('listNodes', ({ scope, query }) => list(nodes.list(scope, query)));
  api.on('getNode', ({ path }) => one<'getNode'>(nodes.get(path.name)));
  api.on('listPods', ({ scope, query }) => list(pods.list(scope, query)));
  api.on('listNamespaces', ({ scope, query }) => list(namespaces.list(scope, query)));
}
