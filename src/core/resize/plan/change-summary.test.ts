import { expect, test } from '@jest/globals';
import { anAdvice, aSituation, aWorkloadRecord, T0 } from '../../../../test/builders/rightsizing.ts';
import { HOUR_MS } from '#kube/units';
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
