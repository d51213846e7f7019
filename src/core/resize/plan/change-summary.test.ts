import { expect, test } from '@jest/globals';
import { amounts, anAdvice, aSituation, aWorkloadRecord, pods, resized, T0 } from '../../../../test/builders/rightsizing.ts';
import { isoTime } from '#kube/time/iso-time';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../layers/decide-workload.ts';

const some = anAdvice({ enoughHistory: false, firstSampleAt: T0 - HOUR_MS / 2, confidenceText: '2 of 20 runs seen' });

test.each([
  ['Deployment', [], 'no usage seen yet; 1h of it is needed'],
  ['Deployment', [some], '30m of usage seen; 1h of CPU and memory is needed'],
  ['CronJob', [], 'no run seen yet; 5 are needed'],
  ['Job', [some], '2 of 20 runs seen; 5 are needed'],
])('what is missing before anything can be recommended: a %s, %#', (kind, advice, text) => {
  expect(decideWorkload(aSituation({ workload: aWorkloadRecord({ kind }), advice }))).toMatchObject({ state: 'collecting', message: text });
});

test('how many pods have a reduction, and until when they are watched before the next ones get it', () => {
  const situation = aSituation({ pods: pods(4) });
  const begun = decideWorkload(situation);
  expect(begun.message).toMatch(/^0 of 4 pods resized; /);
  const watched = { ...situation, pods: resized(situation.pods, begun.steps), memory: begun.memory, now: T0 + MINUTE_MS };
  expect(decideWorkload(watched).message).toContain(`1 of 4 pods resized, watched until ${isoTime(T0 + 10 * MINUTE_MS)}; `);
});

test('no watch for a raise, which all pods get at once', () => {
  const small = { requests: amounts('100m', '128Mi') };
  const advice = [anAdvice({ cpu: '500m', memory: '512Mi', cpuAdvice: { lowerBound: 400 } })];
  const situation = aSituation({ pods: pods(4, { container: small }), advice });
  const begun = decideWorkload(situation);
  const someResized = resized(situation.pods, begun.steps.slice(0, 3));
  expect(decideWorkload({ ...situation, pods: someResized, memory: begun.memory }).message).toMatch(/^3 of 4 pods resized; /);
});
