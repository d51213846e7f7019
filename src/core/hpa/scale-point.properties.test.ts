import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aContainer, amounts, anHpaRecord, aPodRecord } from '../../../test/builders/rightsizing.ts';
import type { PodRecord } from '#kube/records/pod';
import { moveFor } from './follow-targets.ts';
import { meanRequest, requestBounds, requestOf, targetFor } from './scale-point.ts';

const CPU = { resource: 'cpu', container: null } as const;

/** The documented formula of the HPA: `ceil(pods × utilization ÷ target)`. */
function desired(pods: readonly PodRecord[], usedPerPod: number, percent: number): number {
  const requested = pods.reduce((sum, pod) => sum + (requestOf(pod, CPU) ?? 0), 0);
  const utilization = (pods.length * usedPerPod * 100) / requested;
  return Math.ceil((pods.length * utilization) / percent - 1e-9);
}

function podsOf(requests: readonly number[]): readonly PodRecord[] {
  return requests.map((request, index) =>
    aPodRecord({ name: `web-${index}`, container: { requests: { cpuMillicores: request, memoryBytes: null } } }),
  );
}

/** A target with its request, pods of which some have another request, and a load. */
const situations = fc
  .record({
    percent: fc.integer({ min: 30, max: 120 }),
    request: fc.integer({ min: 100, max: 8000 }),
    pods: fc.integer({ min: 1, max: 60 }),
    resized: fc.double({ min: 0, max: 1, noNaN: true }),
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    load: fc.double({ min: 0.2, max: 1.5, noNaN: true }),
  })
  .map(({ percent, request, pods, resized, place, load }) => {
    const { least, greatest } = requestBounds({ percent, request });
    const moved = Math.min(Math.floor(greatest), Math.max(Math.ceil(least), Math.round(least + (greatest - least) * place)));
    const count = Math.round(pods * resized);
    const mix = podsOf(Array.from({ length: pods }, (_, index) => (index < count ? moved : request)));
    return { percent, request, mix, before: podsOf(Array.from({ length: pods }, () => request)), used: load * request };
  });

describe('a target that follows the requests', () => {
  test('for any mix of pods the HPA wants as many as without resizes, plus or minus one', () => {
    fc.assert(
      fc.property(situations, ({ percent, request, mix, before, used }) => {
        const target = targetFor({ percent, request }, meanRequest(mix, CPU) ?? request);
        const without = desired(before, used, percent);
        // Targets are whole percents: half a percent is up to a hundredth of a target, which is more than one of a hundred pods.
        const tolerance = 1 + Math.floor(without * Math.max(0.0101, 0.51 / Math.min(50, percent)));
        expect(Math.abs(desired(mix, used, target) - without)).toBeLessThanOrEqual(without < 50 && percent >= 50 ? 1 : tolerance);
      }),
    );
  });

  test('is within 50 and 90 percent, or the original', () => {
    fc.assert(
      fc.property(situations, fc.integer({ min: 1, max: 100_000 }), ({ percent, request }, mean) => {
        const target = targetFor({ percent, request }, mean);
        expect(target).toBeGreaterThanOrEqual(Math.min(50, percent));
        expect(target).toBeLessThanOrEqual(Math.max(90, percent));
      }),
    );
  });

  test('returns exactly to the original when the requests do', () => {
    fc.assert(
      fc.property(situations, ({ percent, request, mix, before }) => {
        const followed = { namespace: 'shop', name: 'web', canRemoveRecord: true, targets: [{ ...CPU, percent, request, set: percent }] };
        const away = moveFor(followed, anHpaRecord({ metrics: [{ percent }] }), mix, 'after');
        const live = away?.moves[0]?.to ?? percent;
        const returned = moveFor(followed, anHpaRecord({ metrics: [{ percent: live }] }), before, 'after');
        expect(returned?.moves[0]?.to ?? live).toBe(percent);
      }),
    );
  });

  test('a metric of one container counts its request, one of the pod the sum', () => {
    const pod = aPodRecord({
      containers: [aContainer({ requests: amounts('300m', '1Gi') }), aContainer({ name: 'proxy', requests: amounts('100m', '64Mi') })],
    });
    expect(requestOf(pod, CPU)).toBe(400);
    expect(requestOf(pod, { resource: 'cpu', container: 'proxy' })).toBe(100);
    expect(requestOf(pod, { resource: 'cpu', container: 'none' })).toBeNull();
  });
});
