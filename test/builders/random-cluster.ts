// Random clusters for comparisons of answers: the shop's objects under other names, in other namespaces, states and numbers.

import { RECOMMENDATION_STATES } from '../../src/apis/conditions.ts';
import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { DAY_MS, MINUTE_MS } from '#kube/units';
import type { WorkloadRecord } from '#kube/records/workload';
import type { Random } from '../../src/ports/random.ts';
import { seededRandom } from '../fakes/seeded-random.ts';
import { dashboardWorld, type DashboardWorld } from './dashboard-world.ts';
import { withExceptions } from './exceptions.ts';
import { makeIdle } from './shop/idle-shop.ts';

const NAMESPACES = ['shop', 'pay', 'search', 'team-a', 'team-b'];
const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'];
const REASONS = ['window', 'cooldown', 'approval', 'node-capacity', 'warm-up'];
const MAX_WORKLOADS = 60;
const MAX_CONTAINERS = 3;
const MAX_NODES = 40;
/** The first workloads have past usage. */
export const WITH_USAGE = 3;

/** A cluster of up to 60 workloads and 40 nodes. The same seed gives the same one. */
export function randomCluster(seed: number): DashboardWorld {
  const random = seededRandom(seed);
  const world = dashboardWorld();
  const { cluster, history } = world;
  const pairs = Array.from({ length: below(random, MAX_WORKLOADS) }, (_, index) => aPair(world, random, index));
  cluster.workloadList = pairs.map(({ workload }) => workload);
  cluster.recommendationList = pairs.flatMap(({ recommendation }) => recommendation ?? []);
  cluster.namespaceList = NAMESPACES.map((name) => ({ name, labels: {}, deletionAt: null }));
  const [node] = cluster.nodeList;
  if (node === undefined) throw new Error('the shop has no node');
  cluster.nodeList = Array.from({ length: below(random, MAX_NODES) }, (_, index) => ({
    ...node,
    name: `n-${index}`,
    ready: random.next() < 0.8,
    createdAt: world.clock.now() - below(random, 30) * MINUTE_MS,
    zone: random.next() < 0.1 ? null : `zone-${below(random, 3)}`,
    capacityType: random.next() < 0.3 ? ('spot' as const) : ('on-demand' as const),
  }));
  for (const { workload } of pairs) {
    const draw = random.next();
    if (draw < 0.2) makeIdle(world, workload.name, world.clock.now());
    else if (draw < 0.4) withExceptions(world, workload.name, { state: random.next() < 0.7 ? 'open' : 'resolved' });
  }
  history.cycleList = random.next() < 0.3 ? [] : history.cycleList;
  history.usagePoints = pairs.slice(0, WITH_USAGE).flatMap(({ workload }) => usageOf(world, random, workload));
  world.usageConfirmedAt = random.next() < 0.1 ? null : world.usageConfirmedAt;
  return world;
}

interface Pair {
  readonly workload: WorkloadRecord;
  readonly recommendation: Recommendation | null;
}

/** A workload, mostly with a Recommendation. */
function aPair({ cluster }: DashboardWorld, random: Random, index: number): Pair {
  const workload = pick(random, cluster.workloadList);
  const [container] = workload.containers;
  const recommendation = cluster.recommendationList.find(({ spec }) => spec.targetRef.name === workload.name);
  if (container === undefined) throw new Error(`${workload.name} has no container`);
  const [namespace, kind, name] = [pick(random, NAMESPACES), pick(random, KINDS), `w-${index}`];
  const names = Array.from({ length: 1 + below(random, MAX_CONTAINERS) }, (_, number) => `c-${number}`);
  const record = {
    ...workload,
    namespace,
    kind,
    name,
    uid: `uid-${name}`,
    containers: names.map((each) => ({ ...container, name: each })),
  };
  if (recommendation === undefined || random.next() < 0.1) return { workload: record, recommendation: null };
  const state = pick(random, RECOMMENDATION_STATES);
  const { reason: _, ...status } = recommendation.status ?? {};
  return {
    workload: record,
    recommendation: {
      ...recommendation,
      metadata: { ...recommendation.metadata, namespace, name, uid: `r-${name}` },
      spec: { ...recommendation.spec, targetRef: { ...recommendation.spec.targetRef, kind, name } },
      status: {
        ...status,
        state,
        ...(state === 'awaiting' ? { reason: pick(random, REASONS) } : {}),
        savingsPerMonthUsd: Math.round((random.next() * 200 - 50) * 100) / 100,
        containers: names.flatMap((each) => (status.containers ?? []).map((values) => ({ ...values, name: each }))),
      },
    },
  };
}

/** A point every five minutes of a day, with gaps. */
function usageOf({ clock }: DashboardWorld, random: Random, { namespace, kind, name, containers }: WorkloadRecord) {
  const start = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  return containers.flatMap((container) =>
    Array.from({ length: 288 }, (_, index) => ({
      key: `${namespace}/${kind}/${name}/${container.name}`,
      at: start - (index - 200) * 5 * MINUTE_MS,
      cpuMillicores: random.next() < 0.1 ? null : below(random, 4000),
      memoryBytes: below(random, 2 ** 31),
      replicas: 1 + below(random, 9),
    })),
  );
}

function below(random: Random, end: number): number {
  return Math.floor(random.next() * end);
}

function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[below(random, list.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
