// A cluster in which a tenant may write anything: a workload with an autoscaler under a policy, and a workload of another namespace.

import { DEFAULT_POLICY_RULES } from '../../../src/core/resize/policy/policy-rules.ts';
import type { PodResizePolicySpec } from '../../../src/apis/v1alpha1/index.ts';
import { ResetReconciler } from '../../../src/controllers/resets/reconciler.ts';
import { HOUR_MS, MiB, type DurationMs } from '#kube/units';
import { DEFAULT_RECOMMENDER_RULES, type ResourceRules } from '../../../src/core/recommender/advice.ts';
import { ResizeWorld, WEB } from '../../fakes/worlds/resize-world.ts';
import { TEST_SIGNER } from '../../fakes/test-signer.ts';
import { anAdvice, anHpaRecord, aWorkloadRecord, NO_OVERRIDES, pods } from '../rightsizing.ts';
import { RESTARTED_AT, type TenantWrites } from './tenant.ts';

export type Load = 'quiet' | 'less' | 'more' | 'far more';

/** Policy with sizes between 50m and 1 core, 64Mi and 1Gi. */
export const POLICY: PodResizePolicySpec = {
  namespaces: ['shop'],
  cpu: { min: '50m', max: '1' },
  memory: { min: '64Mi', max: '1Gi' },
  idle: { enabled: true, after: '1h', cpuThreshold: '5m', cpu: '60m', replicas: 1 },
  startup: { boostRatio: 2, duration: '2m' },
  interval: '30m',
};

/** CPU in millicores and memory in MiB. */
const NEEDS: Readonly<Record<Load, readonly [cpu: number, memory: number]>> = {
  quiet: [100, 128],
  less: [100, 128],
  more: [800, 900],
  'far more': [6_000, 20_480],
};

/** The tenant's cluster, its clock, and Evenkeel's effects on it. */
export class TenantWorld {
  readonly world = new ResizeWorld();
  readonly #resets: ResetReconciler;
  /** Number of effects so far, of any kind. */
  effects = 0;

  constructor(spec: PodResizePolicySpec, hasAutoscaler: boolean) {
    const { world } = this;
    world.cluster.namespaceList = [...world.cluster.namespaceList, { name: 'other', labels: {}, deletionAt: null }];
    world.cluster.workloadList = world.cluster.workloadList.map((workload) => ({ ...workload, restartedAt: RESTARTED_AT }));
    world.addWorkload(
      aWorkloadRecord({ namespace: 'other', name: 'pay', uid: 'uid-pay' }),
      pods(2).map((pod) => ({ ...pod, namespace: 'other', name: `pay-${pod.name}`, uid: `pay-${pod.uid}` })),
    );
    if (hasAutoscaler) world.cluster.hpaList = [anHpaRecord({ minReplicas: 2 })];
    world.onWrite = (write) => {
      if (write === 'effect') this.effects += 1;
    };
    world.setPolicy('all', { ...POLICY, ...spec });
    const { clock, cluster, gate, metrics, log: logger } = world;
    const governance = { policy: null, rules: DEFAULT_POLICY_RULES, problem: null, readableRules: null };
    this.#resets = new ResetReconciler({
      ...{ clock, cluster, gate, metrics, logger, records: world.records, signer: TEST_SIGNER },
      policies: { governanceOf: () => ({ ...governance, overrides: NO_OVERRIDES, outranked: [], outOfScope: false }) },
      events: { record: (event) => void world.events.push(event) },
    });
  }

  use(load: Load): void {
    const { world } = this;
    const [cpu, mebibytes] = NEEDS[load];
    // The recommender applies the bounds of its rules.
    world.onAdvise = (key, rules) => {
      const within = ({ min, max }: ResourceRules, need: number): number => Math.max(min, Math.min(need, max ?? need));
      const { cpu: ofCpu, memory: ofMemory } = rules.get('main') ?? DEFAULT_RECOMMENDER_RULES;
      const bytes = within(ofMemory, mebibytes * MiB);
      world.advice.set(key, [anAdvice({ cpu: `${within(ofCpu, cpu)}m`, memory: `${bytes}` })]);
    };
    const reported = new Set(world.cluster.podList.map(({ name }) => name));
    const now = world.clock.now();
    world.activity.set(WEB, {
      ...{ reported, maxCpuMillicores: 800 },
      ...(load === 'quiet'
        ? { belowThresholdSince: now - 9 * HOUR_MS, cpuMillicores: 1, lastInUseAt: null }
        : { belowThresholdSince: null, cpuMillicores: 400, lastInUseAt: now }),
    });
  }

  write({ workload, pods: ofPods, hpa, labels, hpaSays }: TenantWrites): void {
    const { cluster } = this.world;
    cluster.workloadList = cluster.workloadList.map((record) =>
      record.name === 'web'
        ? { ...record, labels: { ...record.labels, ...labels }, annotations: { ...record.annotations, ...workload } }
        : record,
    );
    this.world.setPods((pod) => (pod.namespace === 'shop' ? { ...pod, annotations: { ...pod.annotations, ...ofPods } } : pod));
    this.world.setHpa('web', (record) => ({ ...record, ...hpaSays, annotations: { ...record.annotations, ...hpa } }));
  }

  async passes(ms: DurationMs): Promise<void> {
    await this.#resets.reconcile(WEB, new AbortController().signal);
    await this.world.run(ms);
    await this.#resets.reconcile(WEB, new AbortController().signal);
  }

  /** Everything that Evenkeel could have changed, except its own annotations. */
  get state(): object {
    const { cluster, evicted, restarted } = this.world;
    return {
      pods: cluster.podList.map(({ name, containers }) => [name, containers.map(({ requests, limits }) => [requests, limits])]),
      replicas: cluster.workloadList.map(({ name, replicas: { desired } }) => [name, desired]),
      autoscalers: cluster.hpaList.map(({ minReplicas, maxReplicas, resourceMetrics }) => [minReplicas, maxReplicas, resourceMetrics]),
      evicted,
      restarted,
    };
  }
}
