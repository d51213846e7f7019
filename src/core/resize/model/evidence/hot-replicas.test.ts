import { expect, test } from '@jest/globals';
import { T0 } from '../../../../../test/builders/rightsizing.ts';
import { MINUTE_MS } from '#kube/units';
import { HotReplicas } from './hot-replicas.ts';

function observed(...minutes: readonly (readonly number[])[]): HotReplicas {
  const replicas = new HotReplicas();
  minutes.forEach((cpus, index) => replicas.observe(T0 + index * MINUTE_MS, new Map(cpus.map((cpu, pod) => [`web-${pod + 1}`, cpu]))));
  return replicas;
}

test.each([
  ['one of three uses more than 3 × the median', [[100, 110, 331]], ['web-3'], 110],
  ['3 × the median is not more', [[100, 110, 330]], [], 330],
  ['of two replicas none', [[10, 900]], [], 900],
  ['two of five', [[100, 100, 100, 400, 500]], ['web-4', 'web-5'], 100],
  ['half of four: the lower of the middle two counts', [[100, 100, 400, 500]], ['web-3', 'web-4'], 100],
  [
    'a replica that is similar again stays hot for twelve minutes',
    [[100, 100, 400], ...Array<number[]>(12).fill([100, 90, 100])],
    ['web-3'],
    100,
  ],
  [
    'a replica that is similar again is not hot after thirteen minutes',
    [[100, 100, 400], ...Array<number[]>(13).fill([100, 90, 100])],
    [],
    100,
  ],
])('hot: %s', (_case, minutes, hot, others) => {
  const replicas = observed(...minutes);
  expect([replicas.list().map(({ pod }) => pod), replicas.othersCpu]).toEqual([hot, others]);
});
