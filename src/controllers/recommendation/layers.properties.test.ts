// All layers at once on the same pods: boost, overage, idle mode, autoscaler, roll-back and recommendation. After any
// sequence of events no pod was harmed, and the pods reach a stable size.

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { memoryDemand } from '../../../test/builders/exceptions.ts';
import { amounts, anAdvice, anHpaRecord, aPodRecord } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import type { PodResizePolicySpec } from '../../apis/v1alpha1/index.ts';
import { DAY_MS, HOUR_MS, MiB, MINUTE_MS } from '#kube/units';
import { qosOf } from '../../core/resize/model/container-values.ts';

const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);

const EVENTS = [
  'needs more',
  'needs less',
  'memory rises',
  'memory is calm',
  'an OOM kill',
  'quiet',
  'load',
  'a pod is created',
  'mode Auto',
  'mode Approve',
  'mode Recommend',
  'mode Observe',
  'paused',
  'goes on',
  'a roll-back is asked for',
  'an approval',
  'an exception is approved',
  'an exception is rejected',
  'held for two hours',
  'an autoscaler comes',
  'an autoscaler goes',
  'a LimitRange comes',
  'a LimitRange goes',
  'restart',
  'death',
  'stale',
  'fresh',
] as const;
type WorldEvent = (typeof EVENTS)[number];

type Mode = NonNullable<PodResizePolicySpec['mode']>;

const TEMPLATES = {
  burstable: { requests: amounts('500m', '512Mi'), limits: amounts('1', '768Mi') },
  guaranteed: { requests: amounts('500m', '512Mi'), limits: amounts('500m', '512Mi') },
  unlimited: { requests: amounts('500m', '512Mi'), limits: amounts(null, null) },
};
const POLICY: PodResizePolicySpec = {
  mode: 'Auto',
  idle: { enabled: true, after: '1h', cpuThreshold: '5m', cpu: '10m' },
  limitOverage: { mode: 'Temporary' },
  startup: { boostRatio: 2, duration: '2m' },
  interval: '1h',
};

class Life {
  readonly world = new ResizeWorld();
  readonly #template: (typeof TEMPLATES)[keyof typeof TEMPLATES];
  #created = 3;
  #rises = false;
  #need: readonly [cpu: string, memory: string] = ['200m', '256Mi'];
  #lastOomAt: number | null = null;

  constructor(template: (typeof TEMPLATES)[keyof typeof TEMPLATES]) {
    this.#template = template;
    const { world } = this;
    world.cluster.workloadList = world.cluster.workloadList.map((each) => ({
      ...each,
      containers: each.containers.map((container) => ({ ...container, ...template })),
    }));
    world.cluster.podList = [];
    for (const index of [1, 2, 3]) this.#bear(index, world.clock.now() - DAY_MS);
    world.demand = (now) => (this.#rises ? memoryDemand(now, ...['0.9', '0.95', '0.97'].map((share) => this.#share(share))) : []);
    this.#advise();
    this.#setMode('Auto');
  }

  /** Whether no effect may be written. */
  get isStopped(): boolean {
    return this.world.pause !== null || this.world.usageConfirmedAt !== null;
  }

  applyEvent(what: WorldEvent, detail: number): void {
    const { world } = this;
    const now = world.clock.now();
    const reported = new Set(world.cluster.podList.map(({ name }) => name));
    switch (what) {
      case 'needs more':
      case 'needs less':
        this.#need = what === 'needs more' ? ['800m', '700Mi'] : ['100m', '128Mi'];
        this.#advise();
        return;
      case 'memory rises':
      case 'memory is calm':
        this.#rises = what === 'memory rises';
        this.#advise();
        return;
      case 'an OOM kill':
        this.#lastOomAt = now;
        this.#advise();
        return;
      case 'quiet':
        world.activity.set(WEB, {
          reported,
          maxCpuMillicores: 800,
          belowThresholdSince: now - 9 * HOUR_MS,
          cpuMillicores: 1,
          lastInUseAt: null,
        });
        return;
      case 'load':
        world.activity.set(WEB, { reported, maxCpuMillicores: 800, belowThresholdSince: null, cpuMillicores: 400, lastInUseAt: now });
        return;
      case 'a pod is created':
        this.#bear((this.#created += 1), now);
        return;
      case 'mode Auto':
        this.#setMode('Auto');
        return;
      case 'mode Approve':
        this.#setMode('Approve');
        return;
      case 'mode Recommend':
        this.#setMode('Recommend');
        return;
      case 'mode Observe':
        this.#setMode('Observe');
        return;
      case 'paused':
        world.pause = { reason: 'test', until: null };
        return;
      case 'goes on':
        world.pause = null;
        return;
      case 'a roll-back is asked for':
        world.requestByUser({ rollback: { at: new Date(now).toISOString(), by: 'ops' } });
        return;
      case 'an approval': {
        const containers = (world.status().containers ?? []).flatMap(({ name, recommended }) =>
          recommended === undefined ? [] : [{ name, ...recommended }],
        );
        if (containers.length > 0) world.requestByUser({ approved: { at: new Date(now).toISOString(), by: 'ops', containers } });
        return;
      }
      case 'an exception is approved':
      case 'an exception is rejected': {
        const decision = what === 'an exception is approved' ? 'approve' : 'reject';
        world.requestByUser({
          exceptionDecisions: [{ container: 'main', resource: 'memory', decision, at: new Date(now).toISOString(), by: 'ops' }],
        });
        return;
      }
      case 'held for two hours':
        world.cluster.workloadList = world.cluster.workloadList.map((each) => ({
          ...each,
          annotations: { ...each.annotations, 'evenkeel.io/held-until': new Date(now + 2 * HOUR_MS).toISOString() },
        }));
        return;
      case 'an autoscaler comes':
        if (world.cluster.hpaList.length === 0) world.cluster.hpaList = [anHpaRecord()];
        return;
      case 'an autoscaler goes':
        world.cluster.hpaList = [];
        return;
      case 'a LimitRange comes':
        world.cluster.limitRangeList = [
          {
            namespace: 'shop',
            name: 'bounds',
            min: amounts('20m', '32Mi'),
            max: amounts('2', '1Gi'),
            maxLimitRequestRatio: { cpu: null, memory: 4 },
          },
        ];
        return;
      case 'a LimitRange goes':
        world.cluster.limitRangeList = [];
        return;
      case 'restart':
        world.start();
        return;
      case 'death':
        world.diesAfterWrites = detail;
        return;
      case 'stale':
        world.usageConfirmedAt = () => now - HOUR_MS;
        return;
      case 'fresh':
        world.usageConfirmedAt = null;
        return;
    }
  }

  async passes(minutes: number): Promise<void> {
    this.#growUp();
    if ((await this.world.run(minutes * MINUTE_MS)) === 'died') this.world.start();
    this.#growUp();
  }

  sizes(): string {
    return JSON.stringify(this.world.cluster.podList.map(({ name, containers }) => [name, containers[0]?.requests, containers[0]?.limits]));
  }

  /** Usage of the container that uses most. */
  get latest(): number {
    return this.world.advice.get(WEB)?.[0]?.memoryEvidence?.latest ?? 0;
  }

  #share(share: string): string {
    const limit = this.world.cluster.podList[0]?.containers[0]?.limits.memoryBytes ?? 512 * MiB;
    return `${Math.floor((limit / MiB) * Number(share))}Mi`;
  }

  #advise(): void {
    const [cpu, memory] = this.#need;
    const base = anAdvice({ cpu, memory, lastOomAt: this.#lastOomAt, oomKills: this.#lastOomAt === null ? 0 : 1 });
    const latest = this.#rises ? 500 * MiB : base.memoryEvidence!.latest;
    this.world.advice.set(WEB, [{ ...base, memoryEvidence: { ...base.memoryEvidence!, latest, lastOomAt: this.#lastOomAt } }]);
  }

  #setMode(mode: Mode): void {
    this.world.setPolicy('all', { ...POLICY, mode });
  }

  #bear(index: number, createdAt: number): void {
    const pod = aPodRecord({
      name: `web-${index}`,
      labels: { workload: 'web' },
      createdAt,
      ready: false,
      readySince: null,
      container: { ...this.#template, record: { startedAt: createdAt, ready: false } },
    });
    this.world.cluster.podList = [...this.world.cluster.podList, pod];
  }

  #growUp(): void {
    const now = this.world.clock.now();
    this.world.setPods((pod) =>
      pod.ready || now - pod.createdAt < MINUTE_MS
        ? pod
        : { ...pod, ready: true, readySince: now, containers: pod.containers.map((each) => ({ ...each, ready: true })) },
    );
  }
}

const step = fc.record({ what: fc.constantFrom(...EVENTS), detail: fc.nat(6), minutes: fc.constantFrom(1, 5, 30, 90) });

test('no pod is harmed, and all reach a stable size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[])),
      fc.array(step, { minLength: 1, maxLength: 14 }),
      async (template, steps) => {
        const life = new Life(TEMPLATES[template]);
        const { world } = life;
        world.refuse = (resize) => {
          const pod = world.cluster.findPodByUid(resize.uid)!;
          expect(life.isStopped).toBe(false);
          const after = pod.containers.map((each) => resize.containers.find(({ name }) => name === each.name)?.to ?? each);
          expect(qosOf(after)).toBe(pod.qosClass);
          for (const [index, { requests, limits }] of after.entries()) {
            const before = pod.containers[index]!.limits.memoryBytes;
            expect(requests.cpuMillicores ?? 0).toBeLessThanOrEqual(limits.cpuMillicores ?? Infinity);
            expect(requests.memoryBytes ?? 0).toBeLessThanOrEqual(limits.memoryBytes ?? Infinity);
            if (limits.memoryBytes !== null && before !== null && limits.memoryBytes < before)
              expect(limits.memoryBytes).toBeGreaterThanOrEqual(life.latest * 1.25);
          }
          return null;
        };
        for (const { what, detail, minutes } of steps) {
          await life.passes(minutes);
          life.applyEvent(what, detail);
        }
        world.start();
        for (const what of ['goes on', 'fresh', 'load', 'memory is calm', 'mode Auto', 'a LimitRange goes'] as const)
          life.applyEvent(what, 0);
        for (let day = 0; day < 9; day += 1) await life.passes(24 * 60);
        const recommendation = world.recommendation();
        expect(recommendation === undefined || validate(recommendation) || validate.errors).toBe(true);
        const rest = life.sizes();
        const writes = world.applied.length;
        await life.passes(6 * 60);
        expect([life.sizes(), world.applied.length]).toEqual([rest, writes]);
        expect(world.evicted).toEqual([]);
      },
    ),
    { numRuns: 6, seed: 1 },
  );
});
