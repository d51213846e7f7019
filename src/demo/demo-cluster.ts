// The demo's cluster on the morning of day 15: built, peopled, and lived in for 14 days without Evenkeel.

import { join } from 'node:path';
import { KUBELET_READER } from '../adapters/kubernetes/permissions.ts';
import { DAY_MS, type DurationMs, type Instant } from '#kube/units';
import type { MachineTimer } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { SeededRandom } from '../runtime/random.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import type { Pod } from '#embedded-cluster/controllers/wire/pod';
import { openRecordings, type RecordingLibrary } from '#embedded-cluster/usage/recording-files';
import { applyManifests } from './apply-manifests.ts';
import type { DemoOptions } from './options.ts';
import { isOwnKind } from './own-kinds.ts';
import { type ManifestObject, readManifests } from './read-manifests.ts';

/** How long the cluster has lived when the demo opens. */
export const PAST_MS: DurationMs = 14 * DAY_MS;
/** Evenkeel's own namespace: for its lease, whichever way the controller is started. */
export const OWN_NAMESPACE = 'evenkeel-system';

const DEFAULT_MACHINE_TYPES = ['e2-standard-4', 'n2-standard-4'];
/** A Monday. At full speed the calendar is fixed, so that the same seed gives the same end. */
const FIXED_START: Instant = Date.UTC(2026, 0, 5);
/** Field manager of everything that the demo applies. */
export const FIELD_MANAGER = 'evenkeel-demo';

export interface DemoCluster {
  readonly cluster: EmbeddedCluster;
  /** What a person should know about the manifests and recordings. */
  readonly notes: readonly string[];
  /** Objects of the manifests that wait for Evenkeel's CRDs: the past is lived without them. */
  readonly ownKinds: readonly ManifestObject[];
}

export interface DemoDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly packageRoot: string;
  readonly now: Instant;
}

/** Throws with what is wrong in the manifests or recordings, or with the signal's reason when it aborts on the way. Nothing is left running then. */
export async function buildDemoCluster(options: DemoOptions, dependencies: DemoDependencies, signal?: AbortSignal): Promise<DemoCluster> {
  const machineType = options['machine-type'];
  const builtIn = join(dependencies.packageRoot, 'config', 'demo', 'workloads.yaml');
  const manifests = await readManifests(options.manifests ?? builtIn).catch((err: unknown) => blame('--manifests', err));
  const recordings = options.usage === null ? undefined : library(options.usage);
  const cluster = new EmbeddedCluster({
    startAt: options.speed === 'max' ? FIXED_START : dependencies.now - PAST_MS,
    seed: options.seed,
    random: (seed) => new SeededRandom(seed),
    speed: options.speed,
    nodes: { count: options.nodes, machineTypes: machineType === null ? DEFAULT_MACHINE_TYPES : [machineType] },
    ...(recordings === undefined ? {} : { recordings }),
    timer: dependencies.timer,
    logger: dependencies.logger,
  });
  try {
    const own = ownObjects().map((object) => ({ source: 'the demo', object }));
    const applied = await applyManifests(
      cluster.transport(FIELD_MANAGER),
      [...own, ...manifests.filter((each) => !isOwnKind(each))],
      FIELD_MANAGER,
    );
    if (applied.refused.length > 0) throw new Error(`--manifests: the cluster refused some objects:\n  ${applied.refused.join('\n  ')}`);
    const notes = [...applied.leftOut].map(([kind, count]) => `${count} × ${kind} left out: the embedded cluster does not serve that kind`);
    if (recordings !== undefined) notes.push(...dealNotes(cluster, recordings.names.length));
    await livePast(cluster, signal);
    return { cluster, notes: [...notes, ...unscheduledNotes(cluster)], ownKinds: manifests.filter(isOwnKind) };
  } catch (err) {
    cluster.close();
    throw err;
  }
}

/** As an installation makes them: a controller that is started beside the demo reads kubelets with tokens of the ServiceAccount. */
function ownObjects(): readonly ManifestObject['object'][] {
  const rbac = 'rbac.authorization.k8s.io';
  const [name, namespace] = [KUBELET_READER, OWN_NAMESPACE];
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN_NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['nodes/metrics', 'nodes/stats'], verbs: ['get'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ] as const;
}

function dealRecordings(cluster: EmbeddedCluster): ReturnType<EmbeddedCluster['nodes']['dealRecordings']> {
  try {
    return cluster.nodes.dealRecordings();
  } catch (err) {
    return blame('--usage', err);
  }
}

async function livePast(cluster: EmbeddedCluster, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const stop = (): void => cluster.clock.stop();
  signal?.addEventListener('abort', stop, { once: true });
  await cluster.live(PAST_MS);
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
}

function library(folder: string): RecordingLibrary {
  try {
    return openRecordings(folder);
  } catch (err) {
    return blame('--usage', err);
  }
}

/** Throws again, naming the option to mend. */
function blame(option: string, err: unknown): never {
  throw new Error(`${option}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
}

/** Pods that wait for a node would go unnoticed: they cost money on paper, and nothing right-sizes what never ran. */
function unscheduledNotes(cluster: EmbeddedCluster): readonly string[] {
  const whyByWorkload = new Map<string, { pods: number; readonly why: string }>();
  for (const object of cluster.server.accessAs('system:admin').list('pods')) {
    const { metadata, status } = object as Pod;
    const refusal = status.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
    if (status.phase !== 'Pending' || refusal === undefined) continue;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    const workload = `${metadata.namespace ?? ''}/${owner?.name ?? metadata.name}`;
    const known = whyByWorkload.get(workload);
    if (known === undefined) whyByWorkload.set(workload, { pods: 1, why: refusal.message ?? '' });
    else known.pods += 1;
  }
  return [...whyByWorkload].map(([workload, { pods, why }]) => `${pods} pods of ${workload} found no node: ${why}`);
}

function dealNotes(cluster: EmbeddedCluster, files: number): readonly string[] {
  const dealt = dealRecordings(cluster);
  const named = dealt.filter(({ asRecorded }) => asRecorded).length;
  const dropped = cluster.nodes.plan.droppedRows();
  const rows = dropped.notANumber + dropped.negative + dropped.unsorted;
  return [
    named > 0
      ? `${named} of ${files} recordings name a container of the cluster and are taken as recorded`
      : `no recording names a container: ${dealt.length} containers were dealt ${new Set(dealt.map(({ file }) => file)).size} of ${files} recordings, scaled to their requests`,
    ...(rows === 0
      ? []
      : [
          `${rows} rows of the recordings were dropped (${dropped.notANumber} no number, ${dropped.negative} negative, ${dropped.unsorted} out of order)`,
        ]),
  ];
}
