// A reduction is watched for a day, across restarts of the process.

import { beforeEach, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { crds, validatorOf } from '../../../test/builders/crds.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, type Instant } from '#kube/units';
import { NO_EVIDENCE, type EvidenceHour } from '../../core/recommender/history/evidence-hours.ts';

let world: ResizeWorld;
let askedSince: (Instant | undefined)[];
const validate = validatorOf(crds().find(({ spec }) => spec.names.kind === 'Recommendation')!);

beforeEach(() => {
  world = new ResizeWorld();
  askedSince = [];
  world.setPolicy('all', { mode: 'Auto' });
  world.advice.set(WEB, [anAdvice()]);
  world.onAdvise = (_, rules) => askedSince.push(rules.get('main')?.evidenceSince);
});

/** Reports the hours since the change with CPU pressure that is higher by `rise` than a week before. */
function showPressure(rise: number): void {
  const now = world.clock.now();
  const began = Math.ceil(Date.parse(world.status().observedReductions![0]!.since) / HOUR_MS);
  const evidence = Array.from({ length: Math.floor(now / HOUR_MS) - began }, (_, index): EvidenceHour => {
    const weekBefore = { ...NO_EVIDENCE, cpuPressureRatio: 0.1 };
    return { at: (began + index) * HOUR_MS, ...NO_EVIDENCE, cpuPressureRatio: 0.1 + rise, weekBefore };
  });
  world.advice.set(WEB, [anAdvice({ evidence })]);
}

test('the status shows the watched reduction and its comparable hours; evidence is requested no longer than that', async () => {
  await world.run(HOUR_MS);
  const [first] = world.status().observedReductions!;
  expect(first).toMatchObject({ comparedHours: 0, containers: [{ name: 'main', requests: { cpu: '500m', memory: '512Mi' } }] });
  expect(world.status().message).toContain('nothing could be compared');
  expect([askedSince[0], askedSince.at(-1)]).toEqual([undefined, Date.parse(first!.since) - 2 * HOUR_MS]);
  await world.run(4 * HOUR_MS);
  showPressure(0);
  await world.run(2 * HOUR_MS);
  expect(world.status().observedReductions).toMatchObject([{ comparedHours: 3 }]);
  expect(validate(world.recommendation()) || validate.errors).toBe(true);
  expect(world.cpus()).toEqual([100, 100, 100]);
  expect(world.decisions.evidence(WEB)?.map(({ evidence }) => evidence)).toEqual([undefined]);
  await world.run(21 * HOUR_MS);
  expect([world.status().observedReductions, askedSince.at(-1)]).toEqual([undefined, undefined]);
});

test('takes no slot of maxConcurrent', async () => {
  await world.run(HOUR_MS);
  expect(world.status().observedReductions).toHaveLength(1);
  expect(world.decisions.countInProgress('all', 'shop/Deployment/other')).toBe(0);
});

test('a regression after a restart of the process rolls it back, reports, counts and holds it', async () => {
  await world.run(4 * HOUR_MS);
  world.start();
  showPressure(0.4);
  await world.run(HOUR_MS);
  expect(world.cpus()).toEqual([500, 500, 500]);
  expect(world.status()).toMatchObject({
    state: 'awaiting',
    reason: 'rolled-back',
    rolledBack: { reason: 'pressure', message: expect.stringContaining('than in the same hour of the week before'), count: 1 },
  });
  expect(world.status().observedReductions).toBeUndefined();
  expect(world.events.filter(({ reason }) => reason === 'RolledBack')).toHaveLength(1);
  expect(world.metrics.total('evenkeel_rollbacks_total', { reason: 'pressure' })).toBe(1);
  await world.run(20 * HOUR_MS);
  expect(world.cpus()).toEqual([500, 500, 500]);
});
