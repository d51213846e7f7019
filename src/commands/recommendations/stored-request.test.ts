import { expect, test } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import { isStillInForce } from './stored-request.ts';

const NOW = Date.UTC(2026, 10, 27);
const VALUES = [{ name: 'app', requests: { cpu: '100m', memory: '128Mi' } }];
const stored = { at: isoTime(NOW - HOUR_MS), containers: [{ requests: { memory: '128Mi', cpu: '100m' }, name: 'app' }] };

test.each([
  ['is in force, in whatever order its fields are', stored, undefined, true],
  ['is renewed where its values were rolled back since', stored, { rolledBack: { at: isoTime(NOW - 1000) } }, false],
  ['of node classes is renewed where one was rolled back', stored, { classes: [{}, { rolledBack: { at: isoTime(NOW - 1000) } }] }, false],
  ['is renewed where greater values were deployed since', stored, { endedApprovalAt: stored.at }, false],
  ['stays in force after an earlier roll-back', stored, { rolledBack: { at: isoTime(NOW - DAY_MS) } }, true],
  ['whose time lies ahead is renewed', { ...stored, at: isoTime(NOW + HOUR_MS) }, undefined, false],
  ['is renewed after seven days', { ...stored, at: isoTime(NOW - 7 * DAY_MS) }, undefined, false],
  ['of other values is not the same', { ...stored, containers: [] }, undefined, false],
  ['is absent', undefined, undefined, false],
] as const)('a stored approval %s', (_, request, status, expected) => {
  expect(isStillInForce(request, VALUES, status as never, NOW)).toBe(expected);
});
