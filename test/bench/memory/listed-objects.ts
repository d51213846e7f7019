// Texts of a played cluster's objects by kind.

import { MINUTE_MS } from '#kube/units';
import { dashboardWorld } from '../../builders/dashboard-world.ts';
import { PlayedCluster } from '../scale/played/cluster.ts';
import { planCluster } from '../scale/played/cluster-plan.ts';
import { CREATED } from '../scale/played/managed-fields.ts';
import { type ResourceStore, Versions } from '../scale/played/resource-store.ts';
import type { ObjectTexts } from './listed-cluster.ts';

/** Kinds in the order in which they are listed. */
export const LISTED_KINDS = [
  'namespaces',
  'nodes',
  'daemonsets',
  'statefulsets',
  'deployments',
  'replicasets',
  'pods',
  'recommendations',
] as const;

export function listedObjects(nodes: number): Readonly<Record<(typeof LISTED_KINDS)[number], ObjectTexts>> {
  const plan = planCluster(nodes);
  const { stores, workloads } = new PlayedCluster(plan, new Versions(), true);
  return {
    namespaces: () => plan.namespaces.map((name) => JSON.stringify({ metadata: { name }, status: { phase: 'Active' } })),
    nodes: textsOf(stores.nodes),
    daemonsets: textsOf(stores.DaemonSet),
    statefulsets: textsOf(stores.StatefulSet),
    deployments: textsOf(stores.Deployment),
    replicasets: textsOf(stores.replicaSets),
    pods: textsOf(stores.pods),
    recommendations: function* () {
      const examples = dashboardWorld().cluster.recommendationList;
      for (const { workload } of workloads) {
        const example = examples[workload.index % examples.length];
        if (example === undefined) throw new Error('the example cluster has no Recommendations');
        const { kind, name, namespace, uid } = workload;
        const metadata = {
          name: `${kind.toLowerCase()}-${name}`,
          namespace,
          uid: uid.replace(/^./, 'f'),
          resourceVersion: String(workload.index),
          creationTimestamp: '2026-01-01T00:00:00Z',
          generation: 1,
          ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
          managedFields: [{ manager: 'evenkeel-recommendation', operation: 'Apply', fieldsV1: { 'f:status': {} } }],
        };
        yield JSON.stringify({ ...example, metadata, spec: { ...example.spec, targetRef: { apiVersion: 'apps/v1', kind, name } } });
      }
    },
  };
}

/** Objects of a played cluster are all created at one time, and those of a real one at different times. */
function textsOf(store: ResourceStore): ObjectTexts {
  return function* () {
    let at = Date.parse(CREATED);
    for (const object of store.objects()) {
      at += MINUTE_MS;
      yield object.text().replaceAll(CREATED, new Date(at).toISOString().replace('.000', ''));
    }
  };
}
