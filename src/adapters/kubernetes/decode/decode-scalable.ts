// Decodes workloads of kinds that are not built into Kubernetes. Only their `scale` subresource is certain: fields like those of a
// Deployment are decoded, others are ignored.

import { isObject } from '#kube/json';
import type { WorkloadRecord } from '#kube/records/workload';
import { metadataOf, type Metadata } from './decode-metadata.ts';
import { podTemplateOf, workloadHead } from './decode-workload.ts';
import type { Interner } from './interner.ts';
import { apiVersionOf, type ApiResource } from '../resources.ts';
import type { ReplicaPaths } from '../watch/scale-discovery.ts';
import type { Wire } from '../wire.ts';

/** List items have no kind, so it comes from the resource. @throws WireError */
export function scalableReader(resource: ApiResource, paths: ReplicaPaths): (wire: Wire, interner: Interner) => WorkloadRecord {
  const apiVersion = apiVersionOf(resource);
  return (wire, interner) => {
    const metadata = metadataOf(wire, interner);
    const status = partOf(wire['status']);
    const desired = replicasAt(wire, paths.desired);
    const current = replicasAt(wire, paths.current) ?? desired ?? 0;
    return {
      ...workloadHead(metadata, wire, interner),
      kind: resource.kind,
      apiVersion,
      plural: resource.plural,
      // Without a number at the path, the API server answers `scale` requests with an error.
      ...(desired === null ? {} : { scalable: true }),
      ...podTemplateOf(podSpecOf(wire), interner),
      replicas: { desired: desired ?? current, current, ready: countOf(status['readyReplicas']) ?? current },
      rolloutInProgress: isRollingOut(metadata, status, current),
      ...(partOf(wire['spec'])['paused'] === true ? { rolloutHeld: 'paused' } : {}),
    };
  };
}

/** Pod spec of the template; empty where the kind has no template at a Deployment's path. */
export function podSpecOf(wire: Wire): Wire {
  const podSpec = partOf(partOf(partOf(wire['spec'])['template'])['spec']);
  return Array.isArray(podSpec['containers']) ? podSpec : {};
}

function isRollingOut({ generation }: Metadata, status: Wire, current: number): boolean {
  // Argo Rollouts writes it as a string.
  const observed = Number(status['observedGeneration'] ?? generation);
  if (Number.isInteger(observed) && observed < generation) return true;
  const updated = countOf(status['updatedReplicas']);
  if (updated !== null && updated < current) return true;
  // Argo Rollouts omits updatedReplicas while it is 0, and reports the hashes of both ReplicaSets.
  const { stableRS: stable, currentPodHash: newest } = status;
  return typeof stable === 'string' && stable !== '' && typeof newest === 'string' && newest !== stable;
}

/** Count at a path such as `.spec.replicas`; null where there is none. */
export function replicasAt(wire: Wire, path: string): number | null {
  let value: unknown = wire;
  for (const key of path.split('.').filter((key) => key !== '')) value = partOf(value)[key];
  return countOf(value);
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function partOf(value: unknown): Wire {
  return isObject(value) ? value : {};
}
