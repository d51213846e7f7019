// Rule C2: a hot replica is raised alone, and returns to the common values once its usage is similar again.

import { describe, expect, test } from '@jest/globals';
import { anAdvice, aSituation, autoPolicy, aWorkloadRecord, pods, resized, T0 } from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';
import { HotReplicas } from '../../model/evidence/hot-replicas.ts';
import { NO_MEMORY, type WorkloadSituation } from '../../model/situation.ts';

/** Replicas of 500m with CPU usage per minute, and advice for the highest of them. */
class Replicas {
  readonly #hot = new HotReplicas();
  situation: WorkloadSituation;
  readonly events: string[] = [];
  message = '';
  steps = 0;

  constructor(count: number, given: Partial<WorkloadSituation> = {}) {
    this.situation = aSituation({ pods: pods(count), ...given });
  }

  get cpus(): readonly number[] {
    return this.situation.pods.map(({ containers }) => containers[0]?.requests.cpuMillicores ?? 0);
  }

  /** Decides every 5 minutes. @param usage CPU of each replica in millicores @param advised CPU request for the highest */
  use(forMs: number, usage: readonly number[], advised: string): this {
    for (let spent = 0; spent < forMs; spent += 5 * MINUTE_MS) {
      const now = this.situation.now + 5 * MINUTE_MS;
      for (let minute = 4; minute >= 0; minute -= 1) {
        this.#hot.observe(now - minute * MINUTE_MS, new Map(usage.map((cpu, index) => [`web-${index + 1}`, cpu])));
      }
      const demand = [{ container: 'main', windows: [], hot: this.#hot.list(), othersCpu: this.#hot.othersCpu }];
      const advice = [anAdvice({ cpu: advised, memory: '512Mi', cpuAdvice: { peak: Math.max(...usage) } })];
      this.situation = { ...this.situation, now, demand, advice };
      const decision = decideWorkload(this.situation);
      this.message = decision.message;
      this.steps += decision.steps.length;
      this.events.push(...decision.events.map(({ reason }) => reason));
      this.situation = { ...this.situation, memory: decision.memory, pods: resized(this.situation.pods, decision.steps) };
    }
    return this;
  }
}

describe('a replica that uses more than 3 × the median CPU', () => {
  test('is raised alone, and status, message and an Event say so', () => {
    const web = new Replicas(4).use(5 * MINUTE_MS, [200, 190, 820, 210], '900m');
    expect(web.cpus).toEqual([500, 500, 900, 500]);
    expect(web.situation.memory.hotReplicas).toEqual([
      { container: 'main', pod: 'web-3', uid: 'uid-web-3', at: web.situation.now, cpu: 900 },
    ]);
    expect(web.message).toContain('hot replicas, raised alone for using more than 3 × the median CPU: web-3 (main 900m)');
    expect(web.events).toEqual(['HotReplicaRaised']);
  });

  test.each([
    ['of two replicas', 2, [200, 820], {}],
    ['that is within 3 × the median', 3, [300, 280, 820], {}],
    ['of a DaemonSet, whose pods differ by their nodes', 3, [200, 200, 820], { workload: aWorkloadRecord({ kind: 'DaemonSet' }) }],
  ] as const)('raises all of them: one %s', (_case, count, usage, given) => {
    expect(new Set(new Replicas(count, given).use(5 * MINUTE_MS, usage, '900m').cpus)).toEqual(new Set([900]));
  });

  test('keeps the others from being raised by no more than they are measured to use', () => {
    expect(new Replicas(3).use(5 * MINUTE_MS, [600, 550, 2000], '2200m').cpus).toEqual([660, 660, 2200]);
  });

  test('returns to the common values once, three hours after its usage became similar', () => {
    const web = new Replicas(3).use(HOUR_MS, [200, 190, 820], '900m');
    web.use(3 * HOUR_MS - 15 * MINUTE_MS, [200, 190, 210], '900m');
    expect(web.cpus).toEqual([500, 500, 900]);
    web.use(HOUR_MS, [200, 190, 210], '900m');
    expect(web.cpus).toEqual([500, 500, 500]);
    const { steps } = web;
    web.use(DAY_MS, [200, 190, 210], '900m');
    expect([web.cpus, web.steps - steps]).toEqual([[500, 500, 500], 0]);
    expect(web.message).not.toContain('raised alone');
  });

  test('is not lowered below the values to which the same decision raises all replicas', () => {
    const web = new Replicas(3).use(HOUR_MS, [200, 190, 820], '900m').use(2 * HOUR_MS, [200, 190, 210], '900m');
    const similarAgainAt = web.situation.memory.hotReplicas[0]!.at + 3 * HOUR_MS;
    web.use(similarAgainAt - 5 * MINUTE_MS - web.situation.now, [200, 190, 210], '900m');
    expect(web.cpus).toEqual([500, 500, 900]);
    expect(web.use(5 * MINUTE_MS, [600, 590, 610], '700m').cpus).toEqual([671, 671, 671]);
  });

  test('keeps its request while it is hot, without repeated resizes', () => {
    const web = new Replicas(3).use(DAY_MS, [200, 190, 820], '900m');
    expect([web.cpus, web.steps]).toEqual([[500, 500, 900], 1]);
  });

  test('with a greater request from an earlier time keeps it while it is hot', () => {
    const memory = { ...NO_MEMORY, hotReplicas: [{ container: 'main', pod: 'web-3', uid: 'uid-web-3', at: T0 - 4 * HOUR_MS, cpu: null }] };
    const before = pods(3).map((pod) =>
      pod.name === 'web-3'
        ? { ...pod, containers: pod.containers.map((each) => ({ ...each, requests: { ...each.requests, cpuMillicores: 1200 } })) }
        : pod,
    );
    const web = new Replicas(3, { memory, pods: before }).use(5 * MINUTE_MS, [200, 190, 820], '900m');
    expect([web.cpus, web.steps, web.events]).toEqual([[500, 500, 1200], 0, []]);
  });

  test('is still known after a restart, before anything is measured', () => {
    const { situation } = new Replicas(3).use(HOUR_MS, [200, 190, 820], '900m');
    const decision = decideWorkload({ ...situation, demand: [], now: situation.now + MINUTE_MS });
    expect(decision.steps).toEqual([]);
  });

  test('that was deleted is replaced by the next, and the common values stay', () => {
    const web = new Replicas(3).use(HOUR_MS, [200, 190, 820], '900m');
    web.situation = {
      ...web.situation,
      pods: web.situation.pods.map((pod) =>
        pod.name === 'web-3' ? { ...pods(3)[2]!, uid: 'new', createdAt: web.situation.now + 1 } : pod,
      ),
    };
    expect(web.use(20 * MINUTE_MS, [830, 190, 200], '900m').cpus).toEqual([900, 500, 500]);
  });

  test('sizes all of them where they are reduced', () => {
    const web = new Replicas(3).use(HOUR_MS, [20, 20, 410], '450m');
    expect(web.cpus).toEqual([450, 450, 450]);
  });

  test('is lowered with the others to its own raise, and not raised again during their reduction', () => {
    const memory = { ...NO_MEMORY, hotReplicas: [{ container: 'main', pod: 'web-3', uid: 'uid-web-3', at: T0, cpu: 400 }] };
    const web = new Replicas(4, { memory, policy: autoPolicy({ pace: 'Hourly' }) });
    const seen: (number | undefined)[] = [];
    for (let spent = 0; spent < HOUR_MS; spent += 5 * MINUTE_MS) {
      seen.push(web.use(5 * MINUTE_MS, [60, 55, 190, 50], '200m').cpus[2]);
    }
    expect(web.cpus).toEqual([200, 200, 400, 200]);
    expect(seen).toEqual(seen.toSorted((a, b) => (b ?? 0) - (a ?? 0)));
  });

  test('is included in recommendations that a user sees or approves', () => {
    const policy = autoPolicy({ mode: 'Recommend' });
    const web = new Replicas(3, { policy, memory: NO_MEMORY }).use(5 * MINUTE_MS, [200, 190, 820], '900m');
    expect(decideWorkload(web.situation).containers[0]?.target?.requests.cpuMillicores).toBe(900);
  });

  test('that was hot before the history window is not stored any more', () => {
    const web = new Replicas(3).use(HOUR_MS, [200, 190, 820], '900m').use(4 * HOUR_MS, [200, 190, 210], '500m');
    web.situation = { ...web.situation, now: T0 + 15 * DAY_MS };
    expect(web.use(5 * MINUTE_MS, [200, 190, 210], '500m').situation.memory.hotReplicas).toEqual([]);
  });
});
