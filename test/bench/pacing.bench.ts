// Time until a safety raise is in force: 5,000 pods with one daily curve, all of which need more in the same minute. The writes of a
// workload and their order are those of the real reconciler; the queue (its workers, the rate of the API client, the duration of a
// write) is modelled on a virtual clock. Events are left out, because they are deferred.
//
//   due to effect: from the cycle that finds the raises due until a pod has it. Goal: 30 s at p99.
//   need to effect: from the sample above the request; includes the end of its 5-minute slot and the next cycle.
//
//   make bench BENCH=pacing
//   node test/bench/pacing.bench.ts [--record]

import { DEFAULT_RATE } from '../../src/adapters/kubernetes/transport/http-transport.ts';
import { EFFECT_RATE } from '../../src/cmd/process/reach-api-server.ts';
import { WORKLOAD_WORKERS } from '../../src/cmd/controller/reconcilers.ts';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import { SLOT_MS } from '../../src/core/recommender/history/slots.ts';
import { DEFAULT_POLICY_RULES } from '../../src/core/resize/policy/policy-rules.ts';
import { anAdvice, aWorkloadRecord, pods } from '../builders/rightsizing.ts';
import { ResizeWorld } from '../fakes/worlds/resize-world.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const PODS = 5_000;
const REPLICAS = 5;
const WORKLOADS = PODS / REPLICAS;
/** Duration of a write to an API server that is not overloaded, and of the kubelet's reaction to a resize. */
const WRITE_MS: DurationMs = 10;
const KUBELET_MS: DurationMs = SECOND_MS;
const GOAL_MS: DurationMs = 30 * SECOND_MS;
const GRID_MS: DurationMs = 10 * SECOND_MS;
const KEY = 'shop/Deployment/api';

interface Rate {
  readonly qps: number;
  readonly burst: number;
}

type Write = 'effect' | 'record';

/** Token bucket of an API client: a waiting request has already taken its token. */
class Bucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  wait(at: number): DurationMs {
    const { qps, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + ((at - this.#filledAt) / 1000) * qps) - 1;
    this.#filledAt = at;
    return Math.max(0, (-this.#tokens / qps) * 1000);
  }
}

/** Writes of one reconciliation that raises every pod of a workload, in order. */
async function writesOfRaise(): Promise<readonly Write[]> {
  const world = new ResizeWorld();
  const renamed = pods(REPLICAS).map((pod) => ({ ...pod, name: `api-${pod.name}`, uid: `api-${pod.uid}` }));
  world.addWorkload(aWorkloadRecord({ name: 'api', uid: 'uid-api' }), renamed);
  world.setPolicy('all', { mode: 'Auto' });
  world.advice.set(KEY, [anAdvice({ cpu: '500m', memory: '512Mi' })]);
  await world.run(MINUTE_MS);
  world.advice.set(KEY, [anAdvice({ cpu: '900m', memory: '512Mi' })]);
  const writes: Write[] = [];
  world.onWrite = (write) => writes.push(write === 'effect' ? 'effect' : 'record');
  await world.reconcile(KEY);
  if (writes.filter((write) => write === 'effect').length !== REPLICAS) throw new Error(`not every pod was raised: ${writes.join(', ')}`);
  return writes;
}

/** Time from the cycle that finds all raises due until each pod has its raise, sorted. */
function effectTimes(writes: readonly Write[], effectRate: Rate): readonly DurationMs[] {
  const free = Array.from({ length: WORKLOAD_WORKERS }, () => ({ at: 0, next: writes.length }));
  const effects: DurationMs[] = [];
  const buckets = { effect: new Bucket(effectRate), record: new Bucket(DEFAULT_RATE) };
  let waiting = WORKLOADS;
  for (;;) {
    for (const worker of free) {
      if (worker.next < writes.length || waiting === 0) continue;
      worker.next = 0;
      waiting -= 1;
    }
    const [worker] = free.filter(({ next }) => next < writes.length).sort((a, b) => a.at - b.at);
    if (worker === undefined) return effects.sort((a, b) => a - b);
    const write = writes[worker.next] ?? 'record';
    worker.at += buckets[write].wait(worker.at) + WRITE_MS;
    if (write === 'effect') effects.push(worker.at + KUBELET_MS);
    worker.next += 1;
  }
}

/** Time from the sample to the cycle that finds it, over all offsets in a slot and all phases of the cycle. */
function timesUntilDue(intervalMs: DurationMs): readonly DurationMs[] {
  const times: DurationMs[] = [];
  for (let untilSlotEnds = 0; untilSlotEnds < SLOT_MS; untilSlotEnds += GRID_MS) {
    for (let untilCycle = 0; untilCycle < intervalMs; untilCycle += GRID_MS) times.push(untilSlotEnds + untilCycle);
  }
  return times;
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? NaN);
}

const writes = await writesOfRaise();
const effects = effectTimes(writes, EFFECT_RATE);
const sampled = effects.filter((_, index) => index % 50 === 0);
const needs = timesUntilDue(DEFAULT_POLICY_RULES.intervalMs)
  .flatMap((due) => sampled.map((effect) => due + effect))
  .sort((a, b) => a - b);
const input = `${WORKLOADS} workloads of ${REPLICAS} pods, ${writes.length} writes each, ${EFFECT_RATE.qps} effects and ${DEFAULT_RATE.qps} records a second`;
const figureOf = (name: string, value: number): Figure => ({ id: `pacing/5000-pods/${name}`, value, unit: 'virtualMilliseconds', input });
const measured: readonly Figure[] = [
  figureOf('dueToEffect/p50', percentile(effects, 0.5)),
  figureOf('dueToEffect/p99', percentile(effects, 0.99)),
  figureOf('needToEffect/p50', percentile(needs, 0.5)),
  figureOf('needToEffect/p99', percentile(needs, 0.99)),
];
for (const { id, value, unit, input: of } of measured) console.log(JSON.stringify({ figure: id, value, unit, input: of }));
const p99At = (qps: number): number => percentile(effectTimes(writes, { qps, burst: EFFECT_RATE.burst }), 0.99);
const rates = Array.from({ length: 20 }, (_, index) => (index + 1) * 50);
const p99Ms = percentile(effects, 0.99);
const goal = { figure: 'pacing: goal', mostMs: GOAL_MS, p99Ms, isMet: p99Ms <= GOAL_MS };
console.log(JSON.stringify({ ...goal, leastRateThatMeetsIt: rates.find((qps) => p99At(qps) <= GOAL_MS) ?? null }));
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'pacing: regression-check', compared, notCompared, regressions }));
if (regressions.length > 0 || !goal.isMet) process.exitCode = 1;
if (process.argv.includes('--record')) recordFigures(measured);
