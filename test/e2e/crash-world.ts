// A cluster with constant usage for controllers that are killed during their work: its final state must equal that without kills.

import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import { BreakableCluster } from './breakable-cluster.ts';
import { type ClusterClient, PATHS, type Pod } from './cluster-client.ts';
import { aQuickPolicy, constantInput, type ConstantWorkload, NAMESPACE } from './constant-cluster.ts';
import { eventuallyReads, HANG_MS } from '../eventually.ts';
import type { TestFixture } from './processes.ts';
import { ResizeWatch } from './resize-watch.ts';

/** A virtual hour is 12 s. */
const SPEED = 300;
/** Cycles without a change before the final state is read. */
const CYCLES_AT_REST = 3;

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
const PODS = WORKLOADS.reduce((sum, { replicas }) => sum + replicas, 0);
export const CONTAINERS = WORKLOADS.reduce((sum, { containers }) => sum + containers.length, 0);

/** Requests and limits of every pod, and the status of each Recommendation. */
export interface EndState {
  readonly pods: Readonly<Record<string, readonly object[]>>;
  readonly recommendations: readonly object[];
}

/** A cluster, and the settings of the controllers that a test starts and kills. */
export class CrashWorld {
  readonly cluster: ClusterClient;
  /** Settings of the controller. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #fixture: TestFixture;
  readonly #initialPods: readonly Pod[];
  #watch: ResizeWatch | null = null;

  private constructor(
    fixture: TestFixture,
    cluster: ClusterClient,
    settings: Readonly<Record<string, string>>,
    initialPods: readonly Pod[],
  ) {
    this.#fixture = fixture;
    this.cluster = cluster;
    this.settings = settings;
    this.#initialPods = initialPods;
  }

  /** The cluster runs in this process, so a watch sees each write before the controller gets its response. */
  static async start(fixture: TestFixture, name: string): Promise<CrashWorld> {
    const world = await BreakableCluster.start(fixture, constantInput(fixture, name, WORKLOADS, SPEED), name);
    const initialPods = await eventuallyReads(
      'every replica has its pod: the controllers create them',
      HANG_MS,
      () => world.client.pods(NAMESPACE),
      (pods) => pods.length === PODS,
    );
    // The lease of a killed leader would delay each restart by ten seconds; leader election has its own test.
    const settings = {
      'kubernetes.kubeconfig': world.kubeconfig,
      'controller.leaderElect': 'false',
      'controller.warmUp': '1m',
      // A CPU usage needs two readings at most three intervals apart: 3 s of machine time.
      'kubelet.interval': '5m',
      'history.url': `sqlite:${join(fixture.folder, `${name}.sqlite`)}`,
    };
    return new CrashWorld(fixture, world.client, settings, initialPods);
  }

  /** Creates the policy. The CRDs must exist: a started controller installs them. */
  async createPolicy(): Promise<void> {
    this.#watch = await ResizeWatch.begin(this.#fixture, this.cluster);
    await this.cluster.create(PATHS.policies, aQuickPolicy('quick'));
  }

  get watch(): ResizeWatch {
    if (this.#watch === null) throw new Error('createPolicy was not called yet');
    return this.#watch;
  }

  /**
   * Whether every workload has its recommended CPU and memory, and no change is in progress. Memory is known after the first reading of a
   * kubelet, and CPU only after the second, which a busy machine may read too late; until then only memory is changed.
   */
  get isApplied(): boolean {
    const { recommendations } = this.watch;
    return (
      recommendations.length === WORKLOADS.length &&
      recommendations.every((recommendation) => isRecommendationApplied(recommendation) && isChangeOfAll(recommendation))
    );
  }

  /**
   * Resolves at the event that makes the condition true, or that completes the last workload; in the latter case the moment was missed. One
   * of the two occurs, because each workload needs a change. @returns whether the moment was caught
   */
  async waitForMoment(moment: string, isMet: () => boolean): Promise<boolean> {
    await this.watch.until(`${moment}, or every workload applied: the load is constant`, HANG_MS, () => isMet() || this.isApplied);
    const caught = isMet();
    if (!caught) process.stdout.write(`${moment}: every workload was applied already\n`);
    return caught;
  }

  /** Waits until every workload has its recommended size and further cycles change nothing. */
  async waitUntilApplied(): Promise<void> {
    await this.watch.until('every workload applied: the load is constant', HANG_MS, () => this.isApplied);
    await eventuallyReads(
      'every pod as recommended: one whose kubelet was silent conforms when it answers again',
      HANG_MS,
      () => this.readEndState(),
      ({ pods }) => Object.entries(pods).every(([container, all]) => all.every((has) => isSame(has, this.#recommended(container)))),
    );
    const cycle = async (): Promise<string> => (await this.cluster.policy('quick')).status?.lastCycle?.id ?? '';
    for (let cycles = 0; cycles < CYCLES_AT_REST; cycles++) {
      const last = await cycle();
      await eventuallyReads('another cycle: the policy has one each virtual minute', HANG_MS, cycle, (id) => id !== last);
    }
  }

  /** @param container `workload/container` */
  #recommended(container: string): object {
    const found = this.watch.recommendations.flatMap(({ spec, status }) =>
      (status?.containers ?? []).filter(({ name }) => `${spec.targetRef.name}/${name}` === container),
    );
    return readRequestsAndLimits(found[0]?.recommended);
  }

  /** Checks that no pod was replaced, restarted, or given values that no Recommendation published. */
  async expectPodsIntact(): Promise<void> {
    expect(this.watch.unpromised).toEqual([]);
    const pods = await this.cluster.pods(NAMESPACE);
    expect(namesOf(pods)).toEqual(namesOf(this.#initialPods));
    expect(pods.flatMap(({ status }) => status.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0)).toEqual([]);
  }

  async readEndState(): Promise<EndState> {
    const pods: Record<string, object[]> = {};
    for (const { metadata, status } of await this.cluster.pods(NAMESPACE)) {
      for (const { name, resources } of status.containerStatuses ?? []) {
        (pods[`${metadata.labels?.['app'] ?? ''}/${name}`] ??= []).push(readRequestsAndLimits(resources));
      }
    }
    return { pods, recommendations: (await this.cluster.recommendations()).map(endOf) };
  }
}

function isRecommendationApplied({ status }: Recommendation): boolean {
  return (
    status?.state === 'applied' &&
    status.apply === undefined &&
    status.containers?.every(({ current, recommended }) => isSame(readRequestsAndLimits(current), readRequestsAndLimits(recommended))) ===
      true
  );
}

/** Whether the CPU and memory requests of every container differ from the manifest's, as the usage of `WORKLOADS` requires. */
function isChangeOfAll({ spec, status }: Recommendation): boolean {
  const { containers = [] } = WORKLOADS.find(({ name }) => name === spec.targetRef.name) ?? {};
  return containers.every(({ name, resources }) => {
    const before = readRequestsAndLimits(resources).requests;
    const { requests } = readRequestsAndLimits(status?.containers?.find((container) => container.name === name)?.recommended);
    return requests.cpuMillicores !== before.cpuMillicores && requests.memoryBytes !== before.memoryBytes;
  });
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function endOf({ metadata, status = {} }: Recommendation): object {
  return {
    name: metadata.name,
    state: status.state,
    reason: status.reason,
    replicas: status.replicas,
    apply: status.apply,
    resizes: status.resizes,
    applied: status.lastApplied?.containers,
    containers: status.containers?.map(({ name, current, recommended }) => ({ name, current, recommended })),
    conditions: status.conditions?.map(({ type, status: isMet, reason }) => [type, isMet, reason]),
  };
}

function namesOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name).sort();
}
