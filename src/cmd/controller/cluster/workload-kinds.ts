// Messages about workload kinds besides the built-in ones: which are read, and which are not permitted.

import { resourceName } from '../../../adapters/kubernetes/resources.ts';
import type { ReadKind, ScalableKindsStatus } from '../../../adapters/kubernetes/watch/scalable-kinds.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { HealthSource } from '../../../queries/sources.ts';
import { healthSource, unreadableText } from '../health-sources.ts';

/** Numbers of pods by the kind of their owner, for kinds that are not read, as from `ClusterState.countPodsOfUnreadKinds`. */
type PodsByKind = ReadonlyMap<string, number>;

/** `12 pods of rollouts.argoproj.io` for each scalable kind without permission that has pods. */
export function unpermittedKinds({ read, notPermitted }: ScalableKindsStatus, podsByKind: PodsByKind): readonly string[] {
  const kindsRead = new Set(read.map(({ resource }) => resource.kind));
  return notPermitted.flatMap((resource) => {
    const { kind, group } = resource;
    // Where two kinds share their name, the plain name counts the pods of the kind that is read.
    const plain = kindsRead.has(kind) ? 0 : (podsByKind.get(kind) ?? 0);
    const pods = plain + (podsByKind.get(`${kind}.${group}`) ?? 0);
    return pods === 0 ? [] : [`${pods} ${pods === 1 ? 'pod' : 'pods'} of ${resourceName(resource)}`];
  });
}

/** Health of the kinds with a `scale` subresource: which are read, and why others are not. */
export function workloadKindsHealth(
  informers: { scalableKinds(): ScalableKindsStatus },
  cluster: { countPodsOfUnreadKinds(): PodsByKind },
  clock: Clock,
): HealthSource {
  return healthSource('workload-kinds', clock, () => {
    const status = informers.scalableKinds();
    const unpermitted = unpermittedKinds(status, cluster.countPodsOfUnreadKinds());
    const problems = [
      ...(status.problem === null ? [] : [status.problem]),
      ...(unpermitted.length === 0
        ? []
        : [`not resized: ${unpermitted.join(', ')}; to resize them, add the kind to rbac.workloads of the chart`]),
      ...status.read.flatMap(problemOf),
      ...status.leftOut.map(({ resource, why }) => `${resourceName(resource)} is not read: ${why}`),
    ];
    if (problems.length > 0) return { status: 'degraded', message: problems.join('; ') };
    const kinds = status.read.map(({ resource, informer }) => `${resourceName(resource)} (${informer.objects} objects)`);
    return {
      status: 'ok',
      message: kinds.length === 0 ? 'built-in kinds are read' : `read besides built-in kinds: ${kinds.join(', ')}`,
    };
  });
}

function problemOf({ resource, informer, withoutReplicas }: ReadKind): readonly string[] {
  const name = resourceName(resource);
  if (informer.problem !== null) return [`${name}: ${informer.problem}`];
  if (informer.unreadable !== null) return [`${name}: ${unreadableText(informer.unreadable)}`];
  if (withoutReplicas === null) return [];
  const { count, first, path } = withoutReplicas;
  const which = count === 1 ? `${first} has` : `${count} objects, such as ${first}, have`;
  return [`${name}: ${which} no number at ${path}, the specReplicasPath of its CRD; it is not changed`];
}
