import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { combineScore } from './score-node.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const PARTS = { siblings: 0, softSpread: 0, hasUntoleratedPreference: false, nodeTermWeight: 0, podTermWeight: 0 };

describe('the score of a node', () => {
  // Planners stop looking at nodes whose score without the pod is lower than one that they have found.
  test('never rises with a request', () => {
    fc.assert(
      fc.property(share, share, share, share, (cpuShare, memoryShare, moreCpu, moreMemory) => {
        const after = combineScore({
          ...PARTS,
          cpuShare: Math.min(1, cpuShare + moreCpu),
          memoryShare: Math.min(1, memoryShare + moreMemory),
        });
        expect(after).toBeLessThanOrEqual(combineScore({ ...PARTS, cpuShare, memoryShare }) + 1e-9);
      }),
    );
  });
});
