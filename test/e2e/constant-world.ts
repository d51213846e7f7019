// A breakable cluster of constant workloads with a controller apart, and what tests ask of it again and again.

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

/** A virtual hour is 12 s: time enough for polls and watches of two processes on a busy machine. */
const SPEED = 300;
export const TOO_LARGE: Resources = { requests: { cpu: '500m', memory: '512Mi' } };
export const TOO_SMALL: Resources = { requests: { cpu: '50m', memory: '64Mi' } };

/** A Deployment of two pods that use 150m and 150Mi each. */
export function aWorkload(name: string, resources: Resources): ConstantWorkload {
  const uses = { cpuMillicores: 150, memoryMib: 150 };
  return { kind: 'Deployment', name, replicas: 2, containers: [{ name: 'app', resources, uses }] };
}

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
   * Ends with the fixture.
   * @param kubeconfigOf makes the kubeconfig by which the controller is to reach the cluster; unset: directly, as administrator
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

  /** A policy of its own for one workload, which decides as quickly as can be. */
  async createPolicy(app: string, spec: Partial<PodResizePolicySpec> = {}): Promise<void> {
    await this.cluster.create(PATHS.policies, aQuickPolicy(app, { workloadSelector: { matchLabels: { app } }, ...spec }));
  }

  /** Resources of a workload's first containers as its nodes report them, in order of pods' names. */
  async resourcesOf(app: string): Promise<readonly Resources[]> {
    const pods = (await this.cluster.pods(NAMESPACE)).filter(({ metadata }) => metadata.labels?.['app'] === app);
    const sorted = [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return sorted.map(({ status }) => status.containerStatuses?.[0]?.resources ?? {});
  }

  /** The status of a workload's Recommendation, once it holds. */
  async recommendationOf(
    app: string,
    state: StateAndReason,
    holds: (status: RecommendationStatus) => boolean,
  ): Promise<RecommendationStatus> {
    return eventuallyReads(
      `the Recommendation of ${app} ${state}`,
      HANG_MS,
      async () => (await this.cluster.recommendations()).find(({ spec }) => spec.targetRef.name === app)?.status ?? {},
      holds,
    );
  }

  /** The same Recommendation from the dashboard API. */
  detailOf(app: string): Promise<RecommendationDetail> {
    return read(this.controller.dashboard, `recommendations/${NAMESPACE}/${app}`);
  }

  /** Waits until a policy has begun so many cycles more. */
  async cycles(policy: string, count: number): Promise<void> {
    const cycle = async (): Promise<string> => (await this.cluster.policy(policy)).status?.lastCycle?.id ?? '';
    for (let seen = 0; seen < count; seen++) {
      const last = await cycle();
      await eventuallyReads(`another cycle of ${policy}: it has one each interval`, HANG_MS, cycle, (id) => id !== last);
    }
  }
}

/** Every pod has less memory than before. */
export function lowerThan(before: readonly Resources[]): (now: readonly Resources[]) => boolean {
  return (now) => now.length === before.length && now.every(({ requests }, pod) => mebibytes(requests) < mebibytes(before[pod]?.requests));
}

export function mebibytes(requests: Resources['requests']): number {
  return Number(/^(\d+)Mi$/.exec(requests?.memory ?? '')?.[1] ?? Number.NaN);
}
