// A controller that is killed in the middle of its work, on a cluster whose containers use always the same: the end must be
// the one that it has undisturbed.

import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import { BreakableCluster } from './breakable-cluster.ts';
import { type ClusterClient, PATHS, type Pod } from './cluster-client.ts';
import { aQuickPolicy, constantInput, type ConstantWorkload, NAMESPACE } from './constant-cluster.ts';
import { eventuallyReads, HANG_MS } from './eventually.ts';
import type { Workshop } from './processes.ts';
import { ResizeWatch } from './resize-watch.ts';

/** A virtual hour is 12 s. */
const SPEED = 300;
/** Cycles that must find nothing to do before the end is looked at. */
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

/** Requests and limits of every pod, and what each Recommendation says of them. */
export interface End {
  readonly pods: Readonly<Record<string, readonly object[]>>;
  readonly recommendations: readonly object[];
}

/** Where a controller lives that may be killed at any moment. */
export class KillScene {
  readonly cluster: ClusterClient;
  /** Of the controller. */
  readonly settings: Readonly<Record<string, string>>;
  readonly #workshop: Workshop;
  readonly #begun: readonly Pod[];
  #watch: ResizeWatch | null = null;

  private constructor(workshop: Workshop, cluster: ClusterClient, settings: Readonly<Record<string, string>>, begun: readonly Pod[]) {
    this.#workshop = workshop;
    this.cluster = cluster;
    this.settings = settings;
    this.#begun = begun;
  }

  /** The cluster is in this process: a watch sees each write before the controller has its answer. */
  static async start(workshop: Workshop, name: string): Promise<KillScene> {
    const world = await BreakableCluster.start(workshop, constantInput(workshop, name, WORKLOADS, SPEED), name);
    const begun = await eventuallyReads(
      'every replica has its pod: the controllers create them',
      HANG_MS,
      () => world.client.pods(NAMESPACE),
      (pods) => pods.length === PODS,
    );
    // A killed leader's lease would make each restart wait for ten seconds: leader election is another test's.
    const settings = {
      'kubernetes.kubeconfig': world.kubeconfig,
      'controller.leaderElect': 'false',
      'controller.calmStart': '1m',
      'history.url': `sqlite:${join(workshop.folder, `${name}.sqlite`)}`,
    };
    return new KillScene(workshop, world.client, settings, begun);
  }

  /** Call it once a controller is up, which installs the CRDs. */
  async govern(): Promise<void> {
    this.#watch = await ResizeWatch.begin(this.#workshop, this.cluster);
    await this.cluster.create(PATHS.policies, aQuickPolicy('quick'));
  }

  get watch(): ResizeWatch {
    if (this.#watch === null) throw new Error('no policy governs the workloads yet');
    return this.#watch;
  }

  /** Every workload has what is recommended for it, and no change is under way. */
  get isInForce(): boolean {
    const { recommendations } = this.watch;
    return recommendations.length === WORKLOADS.length && recommendations.every(isApplied);
  }

  /**
   * Resolves at the event that makes it true, or at the one by which every workload has what is recommended: then the moment
   * was missed. One of the two comes, as the load is constant and each workload needs a change.
   */
  async reaches(moment: string, holds: () => boolean): Promise<void> {
    await this.watch.until(`${moment}, or every workload in force`, HANG_MS, () => holds() || this.isInForce);
    if (!holds()) process.stdout.write(`${moment}: every workload was in force already\n`);
  }

  /** Every workload has what is recommended, and further cycles find nothing to do. */
  async settles(): Promise<void> {
    await this.watch.until('every workload in force: the load is constant', HANG_MS, () => this.isInForce);
    await eventuallyReads(
      'every pod as recommended: one whose kubelet was silent conforms when it answers again',
      HANG_MS,
      () => this.end(),
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

  /** No pod was replaced, restarted, or given what no Recommendation had promised. */
  async expectUnharmed(): Promise<void> {
    expect(this.watch.unpromised).toEqual([]);
    const pods = await this.cluster.pods(NAMESPACE);
    expect(namesOf(pods)).toEqual(namesOf(this.#begun));
    expect(pods.flatMap(({ status }) => status.containerStatuses ?? []).filter(({ restartCount }) => restartCount > 0)).toEqual([]);
  }

  async end(): Promise<End> {
    const pods: Record<string, object[]> = {};
    for (const { metadata, status } of await this.cluster.pods(NAMESPACE)) {
      for (const { name, resources } of status.containerStatuses ?? []) {
        (pods[`${metadata.labels?.['app'] ?? ''}/${name}`] ??= []).push(readRequestsAndLimits(resources));
      }
    }
    return { pods, recommendations: (await this.cluster.recommendations()).map(endOf) };
  }
}

function isApplied({ status }: Recommendation): boolean {
  return (
    status?.state === 'applied' &&
    status.apply === undefined &&
    status.containers?.every(({ current, recommended }) => isSame(readRequestsAndLimits(current), readRequestsAndLimits(recommended))) ===
      true
  );
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
    conditions: status.conditions?.map(({ type, status: holds, reason }) => [type, holds, reason]),
  };
}

function namesOf(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => metadata.name).sort();
}
