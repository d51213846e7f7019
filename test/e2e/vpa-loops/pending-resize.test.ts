// kubernetes/kubernetes#142155: an autoscaler computes utilization with the requests of the spec before the node has granted them, and so
// removes pods that are as busy as before.

import { describe, expect, test } from '@jest/globals';
import { moveFor, type FollowedAutoscaler } from '../../../src/core/hpa/follow-targets.ts';
import { meanRequest, requestOf } from '../../../src/core/hpa/scale-point.ts';
import type { PodRecord } from '#kube/records/pod';
import { amounts, anHpaRecord, aPodRecord, T0 } from '../../builders/rightsizing.ts';

const CPU = { resource: 'cpu', container: null } as const;
const [PERCENT, REQUEST] = [75, 400];
/** Usage of each pod at the autoscaler's target. */
const USED = (REQUEST * PERCENT) / 100;

const followed: FollowedAutoscaler = {
  name: 'web',
  namespace: 'shop',
  targets: [{ ...CPU, percent: PERCENT, request: REQUEST, set: PERCENT }],
  canRemoveRecord: true,
};

/** Four pods with a pending resize: their specs request `asked`, and their nodes still grant the old value. */
function pendingPods(asked: string): readonly PodRecord[] {
  const had = amounts(`${REQUEST}m`, '256Mi');
  return Array.from({ length: 4 }, (_, index) =>
    aPodRecord({
      name: `web-${index}`,
      container: { requests: amounts(asked, '256Mi'), record: { actual: { requests: had, limits: amounts(null, null) }, allocated: had } },
      resize: { state: 'deferred', message: "Node didn't have enough resource: cpu", since: T0 },
    }),
  );
}

/** The documented formula of the autoscaler, with the requests of the spec. */
function desired(pods: readonly PodRecord[], percent: number): number {
  const requested = pods.reduce((sum, pod) => sum + (requestOf(pod, CPU) ?? 0), 0);
  return Math.ceil((pods.length * ((pods.length * USED * 100) / requested)) / percent - 1e-9);
}

describe('while a resize is pending', () => {
  test('the target follows the requests of the spec, and the replicas are unchanged', () => {
    const pods = pendingPods('560m');
    expect(desired(pods, PERCENT)).toBe(3);
    const move = moveFor(followed, anHpaRecord({ metrics: [{ percent: PERCENT }] }), pods, 'after');
    expect(desired(pods, move?.moves[0]?.to ?? PERCENT)).toBe(4);
  });

  test('when the node never grants it and the resize is reverted, the target returns to its original value', () => {
    const pods = pendingPods(`${REQUEST}m`);
    expect(meanRequest(pods, CPU)).toBe(REQUEST);
    const moved = { ...followed, targets: [{ ...followed.targets[0]!, set: 54 }] };
    const move = moveFor(moved, anHpaRecord({ metrics: [{ percent: 54 }] }), pods, 'after');
    expect(move?.moves[0]).toMatchObject({ from: 54, to: PERCENT });
    expect(move?.original).toBeNull();
    expect(desired(pods, PERCENT)).toBe(4);
  });
});
