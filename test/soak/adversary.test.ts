// What must hold in every life of a workload, however hostile: no value past its bound, no reduction without evidence, no
// loop without an end. Usage jumps, leaks, swings and stops, nodes are full, counters break, versions are rolled out.

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Life, lives, playLife } from '../builders/adversary.ts';
import { type Lived, mainOf } from '../builders/workload-life.ts';
import type { RequestsAndLimits } from '../../src/core/model/resources.ts';
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../src/core/model/units.ts';
import { numberFrom } from './settings.ts';

/** `make soak` draws 20 times as many. */
const LIVES = numberFrom('SOAK_LIVES', 500);
/** Lives that are followed for a quiet month more. */
const LONG_LIVES = Math.ceil(LIVES / 20);
const NODE_SHARE = 0.8;
const RESOURCES = ['cpuMillicores', 'memoryBytes'] as const;
type Resource = (typeof RESOURCES)[number];

interface Change {
  readonly pod: string;
  readonly because: string;
  readonly endsIncrease: boolean;
  readonly from: RequestsAndLimits;
  readonly to: RequestsAndLimits;
}

/** From what is in force: taking back a raise that the node never admitted lowers nothing. */
function changesOf({ steps, decision }: Lived): readonly Change[] {
  const endsIncrease = decision.memory.apply?.endsIncrease === true || decision.memory.lastApplied?.reason === 'temporary increase over';
  return steps.flatMap(({ pod, containers, because }) =>
    containers.map(({ from, to }) => ({ pod: pod.uid, because, endsIncrease, from: mainOf(pod).actual ?? from, to })),
  );
}

function lowers({ from, to }: Change, resource: Resource): boolean {
  return (to.requests[resource] ?? 0) < (from.requests[resource] ?? 0);
}

/** As deployed, or 80 % of the node. */
function limitBoundOf({ options }: Life, resource: Resource): number {
  return Math.max(options.template.limits[resource] ?? 0, Math.floor(options.node[resource] * NODE_SHARE));
}

/** Each tick of a life, held against the rules. */
class Rules {
  readonly #life: Life;
  #reportedAt: Instant = Number.NEGATIVE_INFINITY;
  #peaks: readonly { readonly at: Instant; readonly bytes: number }[] = [];
  readonly #loweredAt = new Map<string, Instant>();

  constructor(life: Life) {
    this.#life = life;
  }

  check(lived: Lived, isReported: boolean): void {
    const { now, usedBytes, pods } = lived;
    if (isReported) {
      this.#reportedAt = now;
      this.#peaks = [...this.#peaks.filter(({ at, bytes }) => at > now - 7 * DAY_MS && bytes > usedBytes), { at: now, bytes: usedBytes }];
    }
    for (const pod of pods) {
      for (const resource of RESOURCES) {
        expect(mainOf(pod).limits[resource] ?? 0).toBeLessThanOrEqual(limitBoundOf(this.#life, resource));
      }
    }
    for (const change of changesOf(lived))
      for (const resource of RESOURCES) if (lowers(change, resource)) this.#checkLowered(change, resource, now);
  }

  #checkLowered(change: Change, resource: Resource, now: Instant): void {
    expect([change, now - this.#reportedAt]).toEqual([change, Math.min(now - this.#reportedAt, 15 * MINUTE_MS)]);
    if (resource === 'memoryBytes') {
      const peak = Math.max(0, ...this.#peaks.map(({ bytes }) => bytes));
      const least = Math.min(peak, Math.floor(this.#life.options.node.memoryBytes * NODE_SHARE));
      expect([change, change.to.requests.memoryBytes]).toEqual([change, Math.max(change.to.requests.memoryBytes ?? 0, least)]);
    }
    if (change.endsIncrease) return;
    const key = `${change.pod}/${resource}`;
    const before = this.#loweredAt.get(key) ?? Number.NEGATIVE_INFINITY;
    this.#loweredAt.set(key, now);
    expect([change, now - before]).toEqual([change, Math.max(now - before, DAY_MS - HOUR_MS)]);
  }
}

describe('in every life of a workload', () => {
  test('no limit passes its bound, nothing is lowered without usage, below the memory peak of 7 days, or twice a day', () => {
    fc.assert(
      fc.property(lives, (life) => {
        const rules = new Rules(life);
        playLife(life, (lived, { silent = false, distort }) => rules.check(lived, !silent && distort === undefined));
      }),
      { numRuns: LIVES },
    );
  });

  test('changes end once usage is steady', () => {
    // A memory limit falls once a day, by part of the way.
    const quietMs = 30 * DAY_MS;
    fc.assert(
      fc.property(lives, (life) => {
        let lastChangeAt = Number.NEGATIVE_INFINITY;
        let now = 0;
        const look = (lived: Lived): void => {
          now = lived.now;
          if (lived.steps.length > 0) lastChangeAt = lived.now;
        };
        playLife(life, look, quietMs);
        expect(lastChangeAt).toBeLessThan(now - 5 * DAY_MS);
      }),
      { numRuns: LONG_LIVES },
    );
  });
});
