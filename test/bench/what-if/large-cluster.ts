// A cluster of 5,000 nodes and 150,000 pods as the scheduling rules see it: four pools in three zones, DaemonSets, and workloads with
// the constraints that charts usually have.

import type { PodTerm, Weighted } from '#kube/pod-spec/affinity';
import type { SpreadConstraint } from '#kube/pod-spec/spread-constraint';
import type { Toleration } from '#kube/pod-spec/toleration';
import type { Taint } from '#kube/records/node';
import { NodeDraft } from '#kube/scheduling/node-draft';
import type { SchedulingNode, SchedulingPod, SchedulingView } from '#kube/scheduling/scheduling-model';
import type { PersistentVolume, StorageView, VolumeClaim } from '#kube/scheduling/volumes/storage-model';
import { ColumnarCluster } from '../../../src/core/scheduling/cluster/columnar-cluster.ts';
import type { PodTreatment } from '../../../src/core/scheduling/cluster/pod-treatment.ts';
import { FITS } from '../../../src/core/scheduling/columns/scheduling-snapshot.ts';
import { Dice } from '../../builders/scheduling/dice.ts';

const GIB = 2 ** 30;
const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const POOL = 'cloud.google.com/gke-nodepool';
const DRIVER = 'pd.csi.storage.gke.io';
const ZONES = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'];
const DAEMON_SETS = 8;
/** Nodes that a pod of the generator chooses from: the emptiest of a few is a cluster that has grown, not one that was packed. */
const CHOICES = 6;

const MOVABLE: PodTreatment = { role: 'movable', budgets: [] };

interface Pool {
  readonly name: string;
  readonly share: number;
  readonly cpu: readonly number[];
  readonly gibPerCpu: number;
  readonly taint: Taint | null;
  readonly usdPerCpuHour: number;
}

const POOLS: readonly Pool[] = [
  { name: 'general', share: 0.72, cpu: [16, 16, 32], gibPerCpu: 4, taint: null, usdPerCpuHour: 0.047 },
  { name: 'highmem', share: 0.13, cpu: [16, 32], gibPerCpu: 8, taint: null, usdPerCpuHour: 0.063 },
  {
    ...{ name: 'spot', share: 0.1, cpu: [16], gibPerCpu: 4, usdPerCpuHour: 0.015 },
    taint: { key: 'cloud.google.com/gke-spot', value: 'true', effect: 'NoSchedule' },
  },
  {
    ...{ name: 'batch', share: 0.05, cpu: [32], gibPerCpu: 4, usdPerCpuHour: 0.047 },
    taint: { key: 'dedicated', value: 'batch', effect: 'NoSchedule' },
  },
];

export interface LargeCluster {
  readonly view: SchedulingView;
  /** The nodes of the view. */
  readonly drafts: readonly NodeDraft[];
  readonly treatmentOf: (pod: SchedulingPod) => PodTreatment;
  /** Evictions that each budget allows. */
  readonly budgets: readonly number[];
  readonly usdPerHour: ReadonlyMap<string, number>;
  readonly workloads: number;
}

/** The same sizes and seed give the same cluster. */
export function largeCluster(nodes: number, pods: number, workloads: number, seed: number): LargeCluster {
  const dice = new Dice(seed);
  const usdPerHour = new Map<string, number>();
  const drafts = dice.times(nodes, (index) => randomNode(dice, index, usdPerHour));
  const storage = new Disks();
  const view: SchedulingView = { nodes: drafts, storage: storage.view(), namespaceLabels: () => ({}) };
  const columnar = ColumnarCluster.of(view);
  const treatments = new Map<string, PodTreatment>();
  const budgets: number[] = [];
  let count = 0;
  const add = (pod: SchedulingPod, draft: NodeDraft, treatment: PodTreatment): void => {
    draft.add(pod);
    columnar.addPod(pod, draft.name, treatment);
    treatments.set(pod.uid, treatment);
    count++;
  };
  for (let index = 0; index < DAEMON_SETS; index++) {
    for (const draft of drafts) add(daemonPod(index, draft.name), draft, { role: 'daemonSet', budgets: [] });
  }
  const sizes = randomSizes(dice, workloads, pods - count);
  for (const [index, replicas] of sizes.entries()) {
    const template = randomTemplate(dice, index, workloads);
    const hasBudget = dice.chance(0.4);
    if (hasBudget) budgets.push(dice.chance(0.1) ? 0 : 1);
    const role = dice.chance(0.01) ? 'unowned' : 'movable';
    const treatment: PodTreatment = { role, budgets: hasBudget ? [budgets.length - 1] : [] };
    for (let replica = 0; replica < replicas; replica++) {
      const zone = dice.pick(ZONES);
      const pod = podOf(template, index, replica, template.hasDisk ? storage.add(template.namespace, `w${index}-${replica}`, zone) : null);
      const node = choose(dice, columnar, pod, drafts);
      if (node !== null) add(pod, node, treatment);
    }
  }
  return { view, drafts, budgets, usdPerHour, workloads: sizes.length, treatmentOf: ({ uid }) => treatments.get(uid) ?? MOVABLE };
}

function choose(dice: Dice, columnar: ColumnarCluster, pod: SchedulingPod, drafts: readonly NodeDraft[]): NodeDraft | null {
  const ofClass = columnar.classOf(pod);
  const owner = columnar.ownerOf(pod);
  let best: NodeDraft | null = null;
  let bestScore = -Infinity;
  let found = 0;
  for (let attempt = 0; attempt < 200 && found < CHOICES; attempt++) {
    const index = dice.below(drafts.length);
    if (columnar.snapshot.refusalOf(ofClass, index) !== FITS) continue;
    found++;
    const score = columnar.snapshot.scoreOf(ofClass, owner, index);
    if (score <= bestScore) continue;
    best = drafts[index]!;
    bestScore = score;
  }
  return best;
}

function randomNode(dice: Dice, index: number, usdPerHour: Map<string, number>): NodeDraft {
  const draw = index % 100;
  let below = 0;
  const pool = POOLS.find(({ share }) => draw < (below += share * 100)) ?? POOLS[0]!;
  const cpu = dice.pick(pool.cpu);
  const name = `gke-${pool.name}-${index}`;
  usdPerHour.set(name, cpu * pool.usdPerCpuHour);
  const labels = {
    ...{ [HOSTNAME]: name, [ZONE]: dice.pick(ZONES), [POOL]: pool.name, 'node.kubernetes.io/instance-type': `n2-${cpu}-${pool.gibPerCpu}` },
    ...{ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
  };
  const node: SchedulingNode = {
    ...{ name, labels, taints: pool.taint === null ? [] : [pool.taint], unschedulable: dice.chance(0.002) },
    allocatable: new Map([
      ['cpu', cpu * 1000 - 100],
      ['memory', cpu * pool.gibPerCpu * GIB * 0.9],
      ['ephemeral-storage', 100 * GIB],
      ['pods', 110],
    ]),
    ...{ declaredFeatures: new Set(), pods: new Map(), antiAffinePods: new Map(), requested: new Map() },
  };
  return new NodeDraft(node);
}

interface Template extends Omit<SchedulingPod, 'uid' | 'name' | 'claims'> {
  readonly hasDisk: boolean;
}

const NONE: readonly never[] = [];
const DEFAULT_TOLERATIONS: readonly Toleration[] = ['not-ready', 'unreachable'].map((name) => ({
  ...{ key: `node.kubernetes.io/${name}`, operator: 'Exists', value: '', effect: 'NoExecute' },
}));
const SPOT_TOLERATIONS: readonly Toleration[] = [
  ...DEFAULT_TOLERATIONS,
  { key: 'cloud.google.com/gke-spot', operator: 'Equal', value: 'true', effect: 'NoSchedule' },
];
const BATCH_TOLERATIONS: readonly Toleration[] = [
  ...DEFAULT_TOLERATIONS,
  { key: 'dedicated', operator: 'Equal', value: 'batch', effect: 'NoSchedule' },
];
const CPU = [25, 50, 50, 100, 100, 100, 150, 200, 250, 250, 300, 400, 500, 500, 750, 1000, 1000, 1500, 2000, 4000];
const MIB = [32, 64, 64, 128, 128, 200, 256, 256, 300, 384, 512, 512, 700, 768, 1024, 1024, 1536, 2048, 3072, 4096, 8192];

function randomTemplate(dice: Dice, index: number, workloads: number): Template {
  const app = `app-${index}`;
  const own = { matchLabels: { app } };
  const term = (topologyKey: string, selector: object = own): PodTerm => ({
    ...{ topologyKey, selector, namespaces: NONE, namespaceSelector: null },
  });
  const spread = (topologyKey: string, hard: boolean): SpreadConstraint => ({
    ...{ topologyKey, hard, maxSkew: 1, selector: own, minDomains: 1, honorAffinity: true, honorTaints: false },
  });
  const place = dice.below(100);
  const shape = dice.below(100);
  const preferredAntiAffinity: readonly Weighted<PodTerm>[] = shape < 25 ? [{ weight: 100, term: term(HOSTNAME) }] : NONE;
  const neighbour = { matchLabels: { app: `app-${dice.below(workloads)}` } };
  return {
    ...{
      namespace: `team-${index % 200}`,
      labels: { app, 'pod-template-hash': `h${index}` },
      priority: dice.pick([0, 0, 0, 0, 100, 1000]),
    },
    ...{ createdAt: index * 1000, startedAt: index * 1000 + 5000, terminating: false, nodeName: null, ownerUid: `rs-${index}` },
    requests: new Map([
      ['cpu', dice.pick(CPU)],
      ['memory', dice.pick(MIB) * 2 ** 20],
    ]),
    nodeSelector: place < 6 ? { [POOL]: 'highmem' } : place < 10 ? { [POOL]: 'batch' } : place < 13 ? { [POOL]: 'spot' } : {},
    ...{ nodeTerms: null, preferredNodeTerms: NONE },
    ...{
      affinity: shape >= 55 && shape < 56 ? [term(ZONE, neighbour)] : NONE,
      antiAffinity: shape >= 50 && shape < 55 ? [term(HOSTNAME)] : NONE,
    },
    ...{ preferredAffinity: shape >= 56 && shape < 60 ? [{ weight: 50, term: term(ZONE, neighbour) }] : NONE, preferredAntiAffinity },
    tolerations: place < 10 && place >= 6 ? BATCH_TOLERATIONS : place < 20 ? SPOT_TOLERATIONS : DEFAULT_TOLERATIONS,
    spread:
      shape >= 25 && shape < 42 ? [spread(ZONE, true)] : shape >= 42 && shape < 50 ? [spread(ZONE, false), spread(HOSTNAME, false)] : NONE,
    ...{ ports: NONE, disks: NONE, features: NONE, gates: NONE, mayPreempt: true, unmodelled: NONE },
    hasDisk: shape >= 94,
  };
}

function podOf({ hasDisk: _, ...template }: Template, index: number, replica: number, claim: string | null): SchedulingPod {
  const name = `w${index}-${replica}`;
  return { ...template, uid: name, name, claims: claim === null ? NONE : [{ name: claim, ephemeral: false }] };
}

function daemonPod(index: number, node: string): SchedulingPod {
  const name = `daemon-${index}-${node}`;
  return {
    ...{
      uid: name,
      namespace: 'kube-system',
      name,
      labels: { app: `daemon-${index}` },
      priority: 2_000_001_000,
      createdAt: 0,
      startedAt: 0,
    },
    ...{ terminating: false, nodeName: node, ownerUid: `ds-${index}`, mayPreempt: true },
    requests: DAEMON_REQUESTS[index % DAEMON_REQUESTS.length]!,
    ...{ nodeSelector: {}, nodeTerms: [{ labels: NONE, fields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] },
    ...{ preferredNodeTerms: NONE, affinity: NONE, antiAffinity: NONE, preferredAffinity: NONE, preferredAntiAffinity: NONE },
    ...{ tolerations: [{ key: null, operator: 'Exists', value: '', effect: null }], spread: NONE, claims: NONE, disks: NONE },
    ports: index === 0 ? [{ port: 9100, protocol: 'TCP', ip: '0.0.0.0' }] : NONE,
    ...{ features: NONE, gates: NONE, unmodelled: NONE },
  };
}

const DAEMON_REQUESTS = [10, 20, 50, 100].map(
  (cpu) =>
    new Map([
      ['cpu', cpu],
      ['memory', cpu * 2 ** 20],
    ]),
);

/** Replicas by workload: most have few, some hundreds, with the sum of `pods`. */
function randomSizes(dice: Dice, workloads: number, pods: number): readonly number[] {
  const weights = dice.times(workloads, () => 1 / Math.max(0.004, dice.below(1000) / 1000));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.max(1, Math.round((weight / sum) * pods)));
}

/** Zonal disks of StatefulSets. */
class Disks {
  readonly #claims = new Map<string, VolumeClaim>();
  readonly #volumes = new Map<string, PersistentVolume>();

  add(namespace: string, pod: string, zone: string): string {
    const name = `data-${pod}`;
    const volumeName = `pvc-${pod}`;
    this.#claims.set(`${namespace}/${name}`, {
      ...{ uid: name, namespace, name, className: 'standard', volumeName, bindCompleted: true, lost: false, terminating: false },
      ...{ accessModes: ['ReadWriteOnce'], sizeBytes: 10 * GIB, volumeMode: 'Filesystem', attributesClass: '', selector: null },
      ...{ selectedNode: null, ownerPodUid: null },
    });
    this.#volumes.set(volumeName, {
      ...{ name: volumeName, labels: {}, className: 'standard', available: false, terminating: false, capacityBytes: 10 * GIB },
      ...{ accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', attributesClass: '', claim: { namespace, name, uid: name } },
      nodeTerms: [{ labels: [{ key: ZONE, operator: 'In', values: [zone] }], fields: [] }],
      attachment: { driver: DRIVER, id: volumeName },
    });
    return name;
  }

  view(): StorageView {
    const limits = new Map([[DRIVER, 127]]);
    return {
      findClaim: (namespace, name) => this.#claims.get(`${namespace}/${name}`) ?? null,
      findVolume: (name) => this.#volumes.get(name) ?? null,
      findClass: () => null,
      volumesOfClass: () => [],
      isCapacityReported: () => false,
      capacities: () => [],
      volumeLimits: () => limits,
      attachedVolumes: () => [],
    };
  }
}
