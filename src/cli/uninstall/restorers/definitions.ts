// Deletes Evenkeel's CRDs with their remaining objects, only on request.

import { CUSTOM_RESOURCE_DEFINITIONS, OWN_RESOURCES } from '../../../adapters/kubernetes/resources.ts';
import { nameOf, type ClusterAccess } from '../cluster-access.ts';
import type { RestorerRegistration } from '../registration.ts';
import type { Restorer } from '../restorer.ts';

function definitionsRestorer(cluster: ClusterAccess): Restorer {
  const names = new Set(OWN_RESOURCES.map(({ plural, group }) => `${plural}.${group}`));
  return {
    name: 'custom resource definitions deleted',
    async *find(signal) {
      for await (const head of cluster.list(CUSTOM_RESOURCE_DEFINITIONS, signal)) {
        if (!names.has(head.name) || head.isBeingDeleted) continue;
        const carryOut = (stop: AbortSignal): ReturnType<ClusterAccess['delete']> =>
          cluster.delete(CUSTOM_RESOURCE_DEFINITIONS, head, stop);
        yield { kind: 'change', object: nameOf(CUSTOM_RESOURCE_DEFINITIONS, head), change: 'deleted', carryOut };
      }
    },
  };
}

export const DEFINITIONS: RestorerRegistration = {
  name: 'definitions',
  // The hook never deletes CRDs; an administrator does, with their own permissions.
  permissions: [],
  isEnabled: (options) => options['delete-crds'],
  removesRecords: true,
  create: ({ cluster }) => definitionsRestorer(cluster),
};
