import { beforeEach, expect, test } from '@jest/globals';
import { anAdvice } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';

let world: ResizeWorld;

beforeEach(() => {
  world = new ResizeWorld();
  world.advice.set(WEB, [anAdvice()]);
});

const overridden = () => world.policy('all').status?.conditions?.find(({ type }) => type === 'Overridden');
const written = (overrides: object) => ({ 'evenkeel.io/overrides': JSON.stringify(overrides) });
const modeInForce = () => world.decisions.governance(world.cluster.workloadList[0]!).mode;

test('an override takes effect at once and starts a cycle', async () => {
  world.setPolicy('all', { mode: 'Auto', interval: '1d' });
  await world.run(MINUTE_MS);
  const before = world.cycleRecords.length;
  world.setPolicy('all', { mode: 'Auto', interval: '1d' }, written({ mode: { value: 'Recommend', by: 'ann' } }));
  expect(modeInForce()).toBe('Recommend');
  await world.run(MINUTE_MS);
  expect(world.cycleRecords.length).toBe(before + 1);
  expect(overridden()).toMatchObject({ status: 'True', reason: 'SetByAnnotation', message: 'spec.mode is "Recommend"' });
  expect(world.policy('all').spec.mode).toBe('Auto');
});

test('an expired override has no effect, even before it is removed', async () => {
  const end = new Date(world.clock.now() + HOUR_MS).toISOString();
  world.setPolicy('all', { mode: 'Recommend', interval: '1d' }, written({ paused: { value: true, expiresAt: end } }));
  await world.run(HOUR_MS - MINUTE_MS);
  expect(world.policy('all').status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False', reason: 'Paused' });
  await world.run(2 * MINUTE_MS);
  expect(world.policy('all').status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
  expect(overridden()).toMatchObject({ status: 'False', reason: 'Ended' });
});

test('an override of the selection excludes workloads from the policy', async () => {
  world.setPolicy('all', { mode: 'Auto' });
  await world.run(MINUTE_MS);
  world.setPolicy('all', { mode: 'Auto' }, written({ excludeNamespaces: { value: ['shop'] } }));
  expect(world.decisions.governance(world.cluster.workloadList[0]!).policy).toBeNull();
});

test('an override to dry run applies to every governed workload', () => {
  world.setPolicy('all', { mode: 'Auto' });
  expect(world.decisions.governance(world.cluster.workloadList[0]!).dryRun).toBe(false);
  world.setPolicy('all', { mode: 'Auto' }, written({ dryRun: { value: true } }));
  expect(world.decisions.governance(world.cluster.workloadList[0]!).dryRun).toBe(true);
});

test('an invalid policy keeps its dry run', () => {
  world.setPolicy('all', { mode: 'Auto', dryRun: true, cpu: { min: '3', max: '2' } });
  expect(world.decisions.governance(world.cluster.workloadList[0]!)).toMatchObject({ policy: 'all', dryRun: true });
});

test.each([
  ['no JSON', { 'evenkeel.io/overrides': '{' }, /not.*ignored/],
  ['a value that the schema refuses', written({ mode: { value: 'Sometimes' } }), /'mode' is ignored/],
  ['one that contradicts the spec', written({ 'cpu.min': { value: '3' } }), /all overrides are ignored.*cpu\.min/],
])('%s is reported in a condition and ignored, and the policy stays in force', async (_, annotations, message) => {
  world.setPolicy('all', { mode: 'Auto', cpu: { max: '2' } }, annotations);
  await world.run(MINUTE_MS);
  expect(modeInForce()).toBe('Auto');
  expect(overridden()).toMatchObject({ status: 'False', reason: 'InvalidOverride', message: expect.stringMatching(message) });
  expect(world.policy('all').status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
});
