// kill -9 in the middle of what Evenkeel does costs time, and nothing else.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { MiB } from '../../src/core/model/units.ts';
import { readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import { type ClusterClient, PATHS } from './cluster-client.ts';
import { aQuickPolicy, type ConstantWorkload, NAMESPACE, startConstantCluster } from './constant-cluster.ts';
import { type Controller, logged, runController, startController } from './controller-process.ts';
import { read } from './dashboard.ts';
import { eventuallyReads } from './eventually.ts';
import { Workshop } from './processes.ts';
import { ResizeWatch } from './resize-watch.ts';

const SPEED = 300;
const TEST_MS = 600_000;
/** For anything that takes up to three virtual hours, on a busy machine. */
const SOON_MS = 180_000;

const WORKLOADS: readonly ConstantWorkload[] = [
  {
    kind: 'Deployment',
    name: 'web',
    replicas: 4,
    containers: [{ name: 'app', resources: { requests: { cpu: '1', memory: '1Gi' } }, uses: { cpuMillicores: 130, memoryMib: 210 } }],
  },
  {
    kind: 'Deployment',
    name: 'api',
    replicas: 2,
    containers: [
      {
        name: 'server',
        resources: { requests: { cpu: '600m', memory: '900Mi' }, limits: { memory: '1Gi' } },
        uses: { cpuMillicores: 260, memoryMib: 333 },
      },
      { name: 'logger', resources: { requests: { cpu: '200m', memory: '256Mi' } }, uses: { cpuMillicores: 17, memoryMib: 41 } },
    ],
  },
  {
    kind: 'StatefulSet',
    name: 'cache',
    replicas: 2,
    containers: [{ name: 'store', resources: { requests: { cpu: '50m', memory: '128Mi' } }, uses: { cpuMillicores: 310, memoryMib: 700 } }],
  },
];

describe('kill -9', () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.end());

  test(
    'again and again in the middle of a cycle: the same end as without, nothing left half done, nothing unpromised, history kept',
    async () => {
      const [calm, rough] = await Promise.all([undisturbed(workshop), killedOften(workshop)]);
      expect(rough.end).toEqual(calm.end);
      // 130m and 210Mi are used: at most 3 % over that by the width of a histogram's bucket, 20 % on top, rounded up.
      const wanted = { requests: { cpuMillicores: 165, memoryBytes: 262 * MiB }, limits: { cpuMillicores: null, memoryBytes: null } };
      expect(calm.end.pods['web/app']).toEqual(Array(4).fill(wanted));
    },
    TEST_MS,
  );
});

interface Lived {
  readonly end: Awaited<ReturnType<typeof endOf>>;
}

async function undisturbed(workshop: Workshop): Promise<Lived> {
  const { demo, cluster } = await startConstantCluster(workshop, 'calm', WORKLOADS, SPEED);
  await startController(workshop, settingsFor(workshop, demo.kubeconfig, 'calm'));
  const watch = await ResizeWatch.begin(workshop, cluster);
  await cluster.create(PATHS.policies, aQuickPolicy('quick'));
  await settled(cluster, watch);
  expect(watch.unpromised).toEqual([]);
  return { end: await endOf(cluster) };
}

async function killedOften(workshop: Workshop): Promise<Lived> {
  const { demo, cluster } = await startConstantCluster(workshop, 'rough', WORKLOADS, SPEED);
  const settings = settingsFor(workshop, demo.kubeconfig, 'rough');
  const start = (): Promise<Controller> => startController(workshop, settings);
  const born = await eventuallyReads(
    'all pods',
    SOON_MS,
    () => cluster.pods(NAMESPACE),
    (pods) => pods.length === 8,
  );

  let controller = await start();
  const watch = await ResizeWatch.begin(workshop, cluster);
  await cluster.create(PATHS.policies, aQuickPolicy('quick'));
  const killed = async (moment: string, holds: () => boolean): Promise<void> => {
    await watch.until(moment, SOON_MS, holds);
    await controller.process.kill();
  };
  // Written down, and not done yet.
  await killed('a change decided', () => watch.recommendations.some(({ status }) => status?.apply !== undefined));
  controller = await start();
  // A first pod has it, and its Recommendation does not know.
  const before = watch.changes;
  await killed('a pod changed', () => watch.changes > before);
  // Killed again before it has looked around.
  const short = runController(workshop, settings);
  await short.line('stderr', /"message":"Following the virtual clock/, SOON_MS);
  await short.kill();
  controller = await start();
  // Half of the pods have it.
  await killed('a change half way', () => watch.recommendations.some(({ status }) => status?.apply?.stage === 'Half'));
  controller = await start();
  await settled(cluster, watch);

  expect(watch.unpromised).toEqual([]);
  const pods = await cluster.pods(NAMESPACE);
  expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual(born.map(({ metadata }) => metadata.name).sort());
  expect(pods.flatMap(({ status }) => status.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0)).toEqual([]);
  await expectHistoryKept(controller);
  return { end: await endOf(cluster) };
}

/** Leader election is another test's: a killed leader's lease would make each restart wait for ten seconds. */
function settingsFor(workshop: Workshop, kubeconfig: string, name: string): Record<string, string> {
  return {
    'kubernetes.kubeconfig': kubeconfig,
    'controller.leaderElect': 'false',
    'controller.calmStart': '1m',
    'history.url': `sqlite:${join(workshop.folder, `${name}.sqlite`)}`,
  };
}

/** Every workload has what is recommended, and three more cycles find nothing to do. */
async function settled(cluster: ClusterClient, watch: ResizeWatch): Promise<void> {
  const atRest = ({ status }: Recommendation): boolean => status?.state === 'applied' && status.apply === undefined;
  await watch.until(
    'all at rest',
    SOON_MS,
    () =>
      watch.recommendations.length === WORKLOADS.length && watch.recommendations.every(atRest) && sameAsRecommended(watch.recommendations),
  );
  const cycle = async (): Promise<string> => (await cluster.policy('quick')).status?.lastCycle?.id ?? '';
  for (let cycles = 0; cycles < 3; cycles++) {
    const last = await cycle();
    await eventuallyReads('another cycle', SOON_MS, cycle, (id) => id !== last);
  }
}

function sameAsRecommended(recommendations: readonly Recommendation[]): boolean {
  return recommendations.every(({ status }) =>
    status?.containers?.every(
      ({ current, recommended }) => JSON.stringify(readRequestsAndLimits(current)) === JSON.stringify(readRequestsAndLimits(recommended)),
    ),
  );
}

/** Requests and limits of every pod, and what each Recommendation says of them. */
async function endOf(cluster: ClusterClient) {
  const pods: Record<string, object[]> = {};
  for (const { metadata, status } of await cluster.pods(NAMESPACE)) {
    for (const { name, resources } of status.containerStatuses ?? []) {
      (pods[`${metadata.labels?.['app'] ?? ''}/${name}`] ??= []).push(readRequestsAndLimits(resources));
    }
  }
  const recommendations = (await cluster.recommendations()).map(({ metadata, status = {} }) => ({
    name: metadata.name,
    state: status.state,
    reason: status.reason,
    replicas: status.replicas,
    apply: status.apply,
    resizes: status.resizes,
    applied: status.lastApplied?.containers,
    containers: status.containers?.map(({ name, current, recommended }) => ({ name, current, recommended })),
    conditions: status.conditions?.map(({ type, status: holds, reason }) => [type, holds, reason]),
  }));
  return { pods, recommendations };
}

async function expectHistoryKept({ process, dashboard }: Controller): Promise<void> {
  expect(logged(process, 'Restored what was learnt before')).toMatchObject([{ containers: 4, unreadable: 0 }]);
  const { history } = (await read<RecommendationDetail>(dashboard, `recommendations/${NAMESPACE}/web`)).audit;
  // Four pods, one change each. Those before the kills are told, too, but for one that a kill fell on before its writing.
  const pods = history?.filter(({ outcome }) => outcome === 'applied').map(({ pod }) => pod);
  expect(new Set(pods).size).toBeGreaterThanOrEqual(2);
}
