import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import { readStatsSummary } from './stats-summary.ts';
import { pickSummaryFields } from './summary-fields.ts';

const BOUNDS = { maxContainers: 100 };
const NOW = 1_700_000_000_000;

/** Values of any type, in place of the expected one. */
const anything = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(null), fc.constant({ x: 1 }), fc.constant([{ y: 2 }]));
const psi = fc.record({ some: fc.record({ total: anything, avg300: anything, avg10: anything }, { requiredKeys: [] }) });
const resource = fc.record({ psi, rssBytes: fc.oneof(fc.nat(), anything), usageBytes: anything }, { requiredKeys: [] });
const volume = fc.record(
  {
    time: anything,
    usedBytes: anything,
    capacityBytes: anything,
    pvcRef: fc.oneof(fc.record({ name: fc.string() }), anything),
    inodes: anything,
  },
  { requiredKeys: [] },
);
const pod = fc.record(
  {
    podRef: fc.oneof({ weight: 5, arbitrary: fc.record({ namespace: fc.string(), name: fc.string(), uid: fc.string() }) }, anything),
    volume: fc.oneof({ weight: 5, arbitrary: fc.array(volume) }, anything),
    containers: fc.oneof(
      { weight: 5, arbitrary: fc.array(fc.record({ name: fc.string(), cpu: resource, memory: resource, rootfs: anything })) },
      anything,
    ),
    network: fc.oneof({ weight: 5, arbitrary: fc.record({ time: anything, rxBytes: anything, interfaces: anything }) }, anything),
  },
  { requiredKeys: ['podRef'] },
);
const summary = fc.record(
  { node: fc.oneof(fc.record({ cpu: resource, memory: resource, fs: anything }), anything), pods: fc.oneof(fc.array(pod), anything) },
  { requiredKeys: [] },
);

function outcomeOf(json: unknown): unknown {
  try {
    return readStatsSummary('n1', json, NOW);
  } catch (err) {
    return (err as Error).message;
  }
}

describe('the picked fields of a summary', () => {
  test('are decoded like the whole page, errors included', () => {
    fc.assert(
      fc.property(summary, (json) => {
        expect(outcomeOf(pickSummaryFields(json, BOUNDS))).toEqual(outcomeOf(json));
      }),
      { numRuns: 500 },
    );
  });

  test('omit fields that are not read', () => {
    const page = { node: { fs: { usedBytes: 1 } }, pods: [{ podRef: { name: 'a', namespace: 'b', uid: 'c' }, other: [{}, {}] }], more: 1 };
    expect(pickSummaryFields(page, BOUNDS)).toEqual({ node: {}, pods: [{ podRef: { name: 'a', namespace: 'b' } }] });
  });

  test('are rejected where there are more items than the pods of the node account for', () => {
    const pods = Array.from({ length: 201 }, () => ({}));
    expect(() => pickSummaryFields({ pods }, BOUNDS)).toThrow(PageTooLarge);
    expect(() => pickSummaryFields({ pods: pods.slice(1) }, BOUNDS)).not.toThrow();
  });
});
