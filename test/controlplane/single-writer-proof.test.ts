// The proof can fail: it finds each way in which two controllers could act at once.

import { describe, expect, test } from '@jest/globals';
import { proveSingleWriter } from './single-writer-proof.ts';
import type { AuditEvent } from './real-cluster.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

function anEvent(seconds: number, who: string, requestURI: string, more: Partial<AuditEvent>): AuditEvent {
  const time = new Date(START + seconds * 1000).toISOString();
  return {
    stage: 'ResponseComplete',
    verb: 'patch',
    requestURI,
    user: { username: 'controller' },
    userAgent: who === 'kubectl' ? 'kubectl/v1.36' : `evenkeel-controller/0.1.0 (${who})`,
    responseStatus: { code: 200 },
    requestReceivedTimestamp: time,
    stageTimestamp: time,
    ...more,
  };
}

const lease = (seconds: number, who: string, holderIdentity: string): AuditEvent =>
  anEvent(seconds, who, '/apis/coordination.k8s.io/v1/namespaces/evenkeel-system/leases/evenkeel-controller', {
    objectRef: { resource: 'leases', name: 'evenkeel-controller' },
    requestObject: { spec: { holderIdentity } },
  });
const resize = (seconds: number, who: string): AuditEvent =>
  anEvent(seconds, who, '/api/v1/namespaces/shop/pods/web/resize', { objectRef: { resource: 'pods', subresource: 'resize' } });
const record = (seconds: number, who: string, resourceVersion?: string): AuditEvent =>
  anEvent(seconds, who, '/apis/evenkeel.io/v1alpha1/namespaces/shop/recommendations/deployment-web/status', {
    objectRef: { resource: 'recommendations', subresource: 'status' },
    requestObject: { metadata: { name: 'deployment-web', resourceVersion }, status: {} },
  });

describe('the proof of one acting controller', () => {
  test('lists the terms and the writes in each', () => {
    const { terms, problems } = proveSingleWriter([
      ...[lease(0, 'a', 'a'), lease(2, 'a', 'a'), resize(3, 'a'), lease(4, 'a', '')],
      ...[lease(5, 'b', 'b'), resize(6, 'b'), resize(7, 'b'), anEvent(8, 'a', '/api/v1/events', { objectRef: { resource: 'events' } })],
      ...[lease(20, 'c', 'c')],
    ]);
    expect(problems).toEqual([]);
    expect(terms.map(({ identity, effects, released }) => [identity, effects, released])).toEqual([
      ['a', 1, true],
      ['b', 2, false],
      ['c', 0, false],
    ]);
  });

  test('counts a record that a suspended leader had sent, where it has a precondition', () => {
    const { terms, problems } = proveSingleWriter([lease(0, 'a', 'a'), lease(11, 'b', 'b'), record(12, 'a', '7'), record(13, 'b')]);
    expect(problems).toEqual([]);
    expect(terms.map(({ identity, records, lateRecords }) => [identity, records, lateRecords])).toEqual([
      ['a', 0, 1],
      ['b', 1, 0],
    ]);
  });

  test.each<[string, readonly AuditEvent[], RegExp]>([
    ['a write before the first term', [resize(0, 'a'), lease(1, 'a', 'a')], /by a .*before the first term/],
    ['a write of a follower', [lease(0, 'a', 'a'), resize(1, 'b')], /by b .*a led/],
    ['a write of a former leader that resumed', [lease(0, 'a', 'a'), lease(11, 'b', 'b'), resize(12, 'a')], /by a .*b led/],
    ['a late record without a precondition', [lease(0, 'a', 'a'), lease(11, 'b', 'b'), record(12, 'a')], /by a .*b led/],
    ['a record of a follower', [lease(0, 'a', 'a'), record(1, 'b', '7')], /by b .*a led/],
    ['a record after the release', [lease(0, 'a', 'a'), lease(1, 'a', ''), record(2, 'a', '7')], /had released/],
    [
      'more late records than a leader has in flight',
      [lease(0, 'a', 'a'), lease(11, 'b', 'b'), ...Array.from({ length: 11 }, () => record(12, 'a', '7'))],
      /a wrote 11 records after its term/,
    ],
    ['a write after the release', [lease(0, 'a', 'a'), lease(1, 'a', ''), resize(2, 'a')], /had released/],
    ['a write after the lease expired', [lease(0, 'a', 'a'), resize(11, 'a')], /had expired/],
    ['a lease taken before it expired', [lease(0, 'a', 'a'), lease(5, 'b', 'b')], /b took the lease 5000 ms after a renewed it last/],
    [
      'a lease taken too soon after a user cleared its holder',
      [lease(0, 'a', 'a'), lease(2, 'kubectl', ''), lease(3, 'b', 'b')],
      /b took the lease 3000 ms/,
    ],
  ])('finds %s', (_, events, words) => {
    const { problems } = proveSingleWriter(events);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(words);
  });
});
