// Workloads of pods from kube-state-metrics, including pods that no longer exist.

import type { Instant } from '#kube/units';
import type { WorkloadRef } from '#kube/records/workload';
import { JOB_OWNER, POD_OWNER, REPLICA_SET_OWNER } from './metric-names.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import type { LabelSet } from './client/read-answer.ts';
import { quoted } from './series-names.ts';

/** Returns the workload of a pod; null for a pod without an owner series. */
export type OwnerLookup = (pod: string) => WorkloadRef | null;

interface Owner {
  readonly kind: string;
  readonly name: string;
}

/** Reads the owners of a namespace's pods in a time span. @throws PrometheusFailure */
export async function readOwners(
  client: PrometheusQueries,
  namespace: string,
  { from, to }: { readonly from: Instant; readonly to: Instant },
  signal: AbortSignal,
): Promise<OwnerLookup> {
  const read = async (metric: string, label: string): Promise<ReadonlyMap<string, Owner>> => {
    const inNamespace = await client.series(`{__name__=${quoted(metric)},exported_namespace=${quoted(namespace)}}`, from, to, signal);
    const found = inNamespace.length > 0 ? inNamespace : await client.series(`${metric}{namespace=${quoted(namespace)}}`, from, to, signal);
    return new Map(found.flatMap((labels) => ownerIn(labels, label)));
  };
  const pods = await read(POD_OWNER, 'pod');
  if (pods.size === 0) return () => null;
  const kinds = new Set([...pods.values()].map(({ kind }) => kind));
  const replicaSets = kinds.has('ReplicaSet') ? await read(REPLICA_SET_OWNER, 'replicaset') : new Map<string, Owner>();
  const jobs = kinds.has('Job') ? await read(JOB_OWNER, 'job_name') : new Map<string, Owner>();
  return (pod) => {
    const owner = pods.get(pod);
    if (owner === undefined) return null;
    const above = owner.kind === 'ReplicaSet' ? replicaSets.get(owner.name) : owner.kind === 'Job' ? jobs.get(owner.name) : undefined;
    const top = above === undefined || above.kind === NONE ? owner : above;
    // A static pod is owned by its node, and counts as a pod without an owner.
    return top.kind === NONE || top.kind === 'Node' ? { namespace, kind: 'Pod', name: pod } : { namespace, ...top };
  };
}

const NONE = '<none>';

function ownerIn(labels: LabelSet, label: string): [string, Owner][] {
  const name = labels[`exported_${label}`] ?? labels[label];
  const { owner_kind: kind, owner_name: owner } = labels;
  if (name === undefined || kind === undefined || owner === undefined) return [];
  return [[name, { kind: kind === '' ? NONE : kind, name: owner }]];
}
