// The demo's cluster at the start of day 15: workloads have run for 14 days without Evenkeel.

import { join } from 'node:path';
import { KUBELET_READER } from '../adapters/kubernetes/access/permissions.ts';
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
import { type ManifestObject, readManifests } from '../cli/read-manifests.ts';

/** Time that the cluster has run when the demo starts. */
export const PAST_MS: DurationMs = 14 * DAY_MS;
/** Evenkeel's namespace, which contains its lease. */
export const OWN_NAMESPACE = 'evenkeel-system';

const DEFAULT_MACHINE_TYPES = ['e2-standard-4', 'n2-standard-4'];
/** A Monday. At full speed the start date is fixed, so that the same seed gives the same result. */
const FIXED_START: Instant = Date.UTC(2026, 0, 5);
/** Field manager of all objects that the demo applies. */
export const FIELD_MANAGER = 'evenkeel-demo';

export interface DemoCluster {
  readonly cluster: EmbeddedCluster;
  /** Notes about manifests and recordings, for the user. */
  readonly notes: readonly string[];
  /** Evenkeel's custom resources in the manifests, which are applied after the CRDs. */
  readonly ownKinds: readonly ManifestObject[];
}

export interface DemoDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly packageRoot: string;
  readonly now: Instant;
}

/**
 * Builds the cluster. @throws Error for invalid manifests or recordings, or the signal's reason when it aborts; nothing keeps running then
 */
export async function buildDemoCluster(options: DemoOptions, dependencies: DemoDependencies, signal?: AbortSignal): Promise<DemoCluster> {
  const machineType = options['machine-type'];
  const builtIn = join(dependencies.packageRoot, 'config', 'demo', 'workloads.yaml');
  const manifests = await readManifests(options.manifests ?? builtIn).catch((err: unknown) => rethrowFor('--manifests', err));
  const recordings = options.usage === null ? undefined : openLibrary(options.usage);
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
    const builtInObjects = ownObjects().map((object) => ({ source: 'the demo', object }));
    const applied = await applyManifests(
      cluster.transport(FIELD_MANAGER),
      [...builtInObjects, ...manifests.filter((each) => !isOwnKind(each))],
      FIELD_MANAGER,
    );
    if (applied.refused.length > 0) throw new Error(`--manifests: the cluster refused some objects:\n  ${applied.refused.join('\n  ')}`);
    const notes = [...applied.skipped].map(([kind, count]) => `${count} × ${kind} skipped: the embedded cluster does not serve this kind`);
    if (recordings !== undefined) notes.push(...describeDealtRecordings(cluster, recordings.names.length));
    await runPast(cluster, signal);
    return { cluster, notes: [...notes, ...describeUnscheduled(cluster)], ownKinds: manifests.filter(isOwnKind) };
  } catch (err) {
    cluster.close();
    throw err;
  }
}

/** Objects of an installation: a controller started separately reads kubelets with tokens of this ServiceAccount. */
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
    return rethrowFor('--usage', err);
  }
}

async function runPast(cluster: EmbeddedCluster, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const stop = (): void => cluster.clock.stop();
  signal?.addEventListener('abort', stop, { once: true });
  await cluster.live(PAST_MS);
  signal?.removeEventListener('abort', stop);
  signal?.throwIfAborted();
}

function openLibrary(folder: string): RecordingLibrary {
  try {
    return openRecordings(folder);
  } catch (err) {
    return rethrowFor('--usage', err);
  }
}

/** Rethrows with the option to correct. */
function rethrowFor(option: string, err: unknown): never {
  throw new Error(`${option}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
}

/** Reports unschedulable pods, which would otherwise go unnoticed: they have requests but no usage. */
function describeUnscheduled(cluster: EmbeddedCluster): readonly string[] {
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
  return [...whyByWorkload].map(([workload, { pods, why }]) => `${pods} pods of ${workload} are unschedulable: ${why}`);
}

function describeDealtRecordings(cluster: EmbeddedCluster, files: number): readonly string[] {
  const dealt = dealRecordings(cluster);
  const named = dealt.filter(({ asRecorded }) => asRecorded).length;
  const dropped = cluster.nodes.plan.droppedRows();
  const rows = dropped.notANumber + dropped.negative + dropped.unsorted;
  return [
    named > 0
      ? `${named} of ${files} recordings match a container of the cluster and are used unscaled`
      : `no recording matches a container: ${dealt.length} containers were assigned ${new Set(dealt.map(({ file }) => file)).size} of ${files} recordings, scaled to their requests`,
    ...(rows === 0
      ? []
      : [
          `${rows} rows of the recordings were dropped (${dropped.notANumber} not a number, ${dropped.negative} negative, ${dropped.unsorted} out of order)`,
        ]),
  ];
}
