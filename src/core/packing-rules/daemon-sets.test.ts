import { expect, test } from '@jest/globals';
import { daemonTolerations } from './daemon-sets.ts';
import { isEveryTaintTolerated } from './eligible-shapes.ts';

test.each([
  ['node.kubernetes.io/unschedulable', 'NoSchedule', true],
  ['node.kubernetes.io/not-ready', 'NoExecute', true],
  ['node.kubernetes.io/not-ready', 'NoSchedule', false],
  ['node.kubernetes.io/network-unavailable', 'NoSchedule', false],
] as const)('pods of a DaemonSet tolerate %s:%s as its controller makes them: %s', (key, effect, isTolerated) => {
  expect(isEveryTaintTolerated(daemonTolerations([]), [{ key, value: '', effect }])).toBe(isTolerated);
});
