// Evenkeel's custom resources: objects that Evenkeel created are deleted; users' objects stay, without Evenkeel's finalizers and without a
// status that is no longer updated.

import { objectPath, OWN_RESOURCES, ownResource, type ApiResource } from '../../../adapters/kubernetes/resources.ts';
import { ApiFault, isNotFound } from '../../../adapters/kubernetes/status.ts';
import { optionalObjectAt } from '../../../adapters/kubernetes/wire.ts';
import { LABELS, PREFIX } from '../../../apis/annotations.ts';
import { PLURALS } from '../../../apis/v1alpha1/index.ts';
import type { WriteOutcome } from '../../../ports/cluster/writers.ts';
import { nameOf, withoutFinalizers, type ClusterAccess, type ObjectHead } from '../cluster-access.ts';
import { isAlwaysEnabled, granted, type RestorerRegistration } from '../registration.ts';
import type { Finding, Restorer } from '../restorer.ts';
import { annotationFindings } from './annotations.ts';

/** Kinds that Evenkeel creates, one per workload or run. */
const CREATED_KINDS: ReadonlySet<string> = new Set([PLURALS.Recommendation, PLURALS.RebalanceRun]);

function ownObjectsRestorer(cluster: ClusterAccess, options: { readonly deletePolicies: boolean }): Restorer {
  return {
    name: options.deletePolicies ? 'custom resources deleted' : 'recommendations deleted, policies released',
    async *find(signal) {
      for (const resource of OWN_RESOURCES) {
        try {
          for await (const head of cluster.list(resource, signal)) yield* findingsOf(cluster, resource, head, options.deletePolicies);
        } catch (err) {
          // A kind that is not installed has no objects; continue with the next one.
          if (!(err instanceof ApiFault && isNotFound(err.failure))) throw err;
        }
      }
    },
  };
}

function* findingsOf(cluster: ClusterAccess, resource: ApiResource, head: ObjectHead, deletePolicies: boolean): Generator<Finding> {
  const object = nameOf(resource, head);
  const isDeleted = deletePolicies || CREATED_KINDS.has(resource.plural) || head.labels[LABELS.implied] === 'true';
  const freeing = withoutFinalizers(head, isOurs);
  const free = (signal: AbortSignal): Promise<WriteOutcome> => cluster.patch(resource, head, freeing, signal);
  if (isDeleted && !head.isBeingDeleted) {
    const carryOut = async (signal: AbortSignal): Promise<WriteOutcome> => {
      if (freeing.length > 0) {
        const freed = await free(signal);
        if (freed.kind !== 'done') return freed;
      }
      return cluster.delete(resource, head, signal);
    };
    yield { kind: 'change', object, change: 'deleted', carryOut };
    return;
  }
  if (freeing.length > 0) yield { kind: 'change', object, change: 'finalizers removed', carryOut: free };
  if (head.isBeingDeleted) {
    const others = head.finalizers.filter((finalizer) => !isOurs(finalizer));
    if (others.length > 0) yield { kind: 'keep', object, why: `is being deleted and waits for ${others.join(', ')}` };
    return;
  }
  yield* annotationFindings(cluster, resource, head);
  if (optionalObjectAt(head.wire, 'status') === null) return;
  const path = objectPath(resource, head.namespace, head.name, 'status');
  yield { kind: 'change', object, change: 'status cleared', carryOut: (signal) => cluster.merge(path, { status: null }, signal) };
}

function isOurs(finalizer: string): boolean {
  return finalizer.startsWith(PREFIX);
}

const SOURCE = 'src/cli/uninstall/restorers/own-objects.ts';

export const OWN_OBJECTS: RestorerRegistration = {
  name: 'own-objects',
  permissions: [
    ...OWN_RESOURCES.map((resource) => granted(['list', 'patch'], resource, SOURCE, 'removing finalizers and annotations')),
    ...OWN_RESOURCES.filter(({ plural }) => !CREATED_KINDS.has(plural)).map((resource) =>
      granted(['patch'], resource, SOURCE, 'clearing a status that is no longer updated', 'status'),
    ),
    // Only the implied NodeScalingPolicy is deleted.
    ...[...CREATED_KINDS, PLURALS.NodeScalingPolicy].map((plural) =>
      granted(['delete'], ownResource(plural), SOURCE, 'deleting objects that Evenkeel created; those of users stay'),
    ),
  ],
  isEnabled: isAlwaysEnabled,
  removesRecords: true,
  create: ({ cluster, options }) => ownObjectsRestorer(cluster, { deletePolicies: options['delete-policies'] || options['delete-crds'] }),
};
