// A breakable cluster with constant usage and a separate controller, and the reads that its tests share.

import type { RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import type { PodResizePolicySpec, RecommendationStatus } from '../../src/apis/v1alpha1/index.ts';
import { BreakableCluster } from './breakable-cluster.ts';
import { type ClusterClient, PATHS, type Resources } from './cluster-client.ts';
import { aQuickPolicy, constantInput, type ConstantWorkload, NAMESPACE } from './constant-cluster.ts';
import { type Controller, startController } from './controller-process.ts';
import { read } from './dashboard.ts';
import { eventuallyReads, HANG_MS, type StateAndReason } from '../eventually.ts';
import type { TestFixture } from './processes.ts';
import { ResizeWatch } from './resize-watch.ts';

/** A virtual hour is 12 s: long enough for polls and watches of two processes on a busy machine. */
const SPEED = 300;
export const TOO_LARGE: Resources = { requests: { cpu: '500m', memory: '512Mi' } };
export const TOO_SMALL: Resources = { requests: { cpu: '50m', memory: '64Mi' } };

/** A Deployment of two pods that use 150m and 150Mi each. */
export function aWorkload(name: string, resources: Resources): ConstantWorkload {
  const uses = { cpuMillicores: 150, memoryMib: 150 };
  return { kind: 'Deployment', name, replicas: 2, containers: [{ name: 'app', resources, uses }] };
}

/** The cluster, its controller, and a watch of all resizes. */
export class ConstantWorld {
  readonly world: BreakableCluster;
  readonly controller: Controller;
  readonly watch: ResizeWatch;

  private constructor(world: BreakableCluster, controller: Controller, watch: ResizeWatch) {
    this.world = world;
    this.controller = controller;
    this.watch = watch;
  }

  /**
   * Starts both; they end with the fixture. @param kubeconfigOf returns the kubeconfig of the controller; when left out it connects
   * directly, as administrator
   */
  static async start(
    fixture: TestFixture,
    workloads: readonly ConstantWorkload[],
    kubeconfigOf: (world: BreakableCluster) => Promise<string> = (world) => Promise.resolve(world.kubeconfig),
  ): Promise<ConstantWorld> {
    const world = await BreakableCluster.start(fixture, constantInput(fixture, 'cluster', workloads, SPEED));
    const controller = await startController(fixture, {
      'kubernetes.kubeconfig': await kubeconfigOf(world),
      'controller.leaderElect': 'false',
      'controller.warmUp': '1m',
    });
    return new ConstantWorld(world, controller, await ResizeWatch.begin(fixture, world.client));
  }

  get cluster(): ClusterClient {
    return this.world.client;
  }

  /** Creates a policy for one workload, which decides as fast as possible. */
  async createPolicy(app: string, spec: Partial<PodResizePolicySpec> = {}): Promise<void> {
    await this.cluster.create(PATHS.policies, aQuickPolicy(app, { workloadSelector: { matchLabels: { app } }, ...spec }));
  }

  /** Resources of the first container of a workload's pods as their nodes report them, in order of the pods' names. */
  async resourcesOf(app: string): Promise<readonly Resources[]> {
    const pods = (await this.cluster.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.['app'] === app);
    const sorted = [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return sorted.map(({ status }) => status.containerStatuses?.[0]?.resources ?? {});
  }

  /** Waits until the status of a workload's Recommendation satisfies a condition, and returns it. */
  async recommendationOf(
    app: string,
    state: StateAndReason,
    isMet: (status: RecommendationStatus) => boolean,
  ): Promise<RecommendationStatus> {
    return eventuallyReads(
      `the Recommendation of ${app} ${state}`,
      HANG_MS,
      async () => (await this.cluster.recommendations()).find(({ spec }) => spec.targetRef.name === app)?.status ?? {},
      isMet,
    );
  }

  /** Detail of the Recommendation from the dashboard API. */
  detailOf(app: string): Promise<RecommendationDetail> {
    return read(this.controller.dashboard, `recommendations/${NAMESPACE}/${app}`);
  }

  /** Waits until a policy has started this many more cycles. */
  async cycles(policy: string, count: number): Promise<void> {
    const cycle = async (): Promise<string> => (await this.cluster.policy(policy)).status?.lastCycle?.id ?? '';
    for (let started = 0; started < count; started++) {
      const last = await cycle();
      await eventuallyReads(`another cycle of ${policy}: it has one each interval`, HANG_MS, cycle, (id) => id !== last);
    }
  }
}

/** Whether every pod has a lower memory request than before. */
export function lowerThan(before: readonly Resources[]): (now: readonly Resources[]) => boolean {
  return (now) => now.length === before.length && now.every(({ requests }, pod) => mebibytes(requests) < mebibytes(before[pod]?.requests));
}

/** Memory request in MiB; NaN when there is none or in another unit. */
export function mebibytes(requests: Resources['requests']): number {
  return Number(/^(\d+)Mi$/.exec(requests?.memory ?? '')?.[1] ?? Number.NaN);
}
