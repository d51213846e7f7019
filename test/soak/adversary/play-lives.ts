// Plays random lives of a workload in a process of its own, which takes two thirds of the time that Jest's module loader takes:
//
//   node test/soak/adversary/play-lives.ts rules|end|approve|approve-end LIVES SEED [PATH]
//
// PATH is what a violation prints: it plays the smaller life again. A number alone plays on from the life with that number, from 0.

import { argv } from 'node:process';
import fc from 'fast-check';
import { AdversaryEnd } from '../../builders/adversary/adversary-end.ts';
import { AdversaryRules } from '../../builders/adversary/adversary-rules.ts';
import { approveLives, playApproveLife, type ApproveLife } from '../../builders/adversary/approve-lives.ts';
import { ApproveRules } from '../../builders/adversary/approve-rules.ts';
import { lives, playLife, resizeOnAllNodes, type Life } from '../../builders/adversary/adversary.ts';
import { DAY_MS } from '#kube/units';

/** Usage of two weeks is kept; after them memory falls at most once a day, by a part of the difference. */
const QUIET_MS = 60 * DAY_MS;
/** Days without a resize or a report at the end of a steady time. */
const ENDED_MS = 5 * DAY_MS;

/** Approvals lapse after a week; holds and observations end before. */
const APPROVE_QUIET_MS = 30 * DAY_MS;

let isViolated = false;
let played = 0;

const [, , what = '', count = '', seed = '', path] = argv;
const properties = {
  rules: () => fc.property(lives, keepsRules),
  end: () => fc.property(lives.map(resizeOnAllNodes), endsOnceSteady),
  approve: () => fc.property(approveLives, (life) => keepsApproveRules(life, 0)),
  'approve-end': () => fc.property(approveLives, (life) => keepsApproveRules(life, APPROVE_QUIET_MS)),
};
if (!Object.hasOwn(properties, what)) throw new Error(`unknown property ${what}`);
fc.assert<unknown[]>(properties[what as keyof typeof properties]() as fc.IProperty<unknown[]>, {
  numRuns: Number(count),
  seed: Number(seed),
  ...(path === undefined ? {} : { path, endOnFailure: path.includes(':') }),
});
console.log(`${played} lives, seed ${seed}: no violation`);

function keepsApproveRules(life: ApproveLife, quietMs: number): void {
  played += 1;
  const rules = new ApproveRules();
  playApproveLife(life, (lived, _, act) => rules.check(lived, act), quietMs);
  if (quietMs > 0) rules.checkEnd();
  if (rules.violations.length > 0) throw violationOf(life, rules.violations.join('\n'));
}

function keepsRules(life: Life): void {
  played += 1;
  const rules = new AdversaryRules(life);
  playLife(life, (lived, tick) => rules.check(lived, tick));
  if (rules.violations.length > 0) throw violationOf(life, rules.violations.join('\n'));
}

function endsOnceSteady(life: Life): void {
  played += 1;
  const end = new AdversaryEnd(life.options.policy);
  let elapsedMs = 0;
  playLife(
    life,
    (lived) => {
      ({ elapsedMs } = lived);
      end.look(lived);
    },
    QUIET_MS,
  );
  for (const [effect, at] of [
    ['resized', end.resizedAt],
    ['reported', end.reportedAt],
  ] as const) {
    if (at >= elapsedMs - ENDED_MS) throw violationOf(life, `${effect} at ${at / DAY_MS} days, in a life of ${elapsedMs / DAY_MS} days`);
  }
}

/** Reports the first violation and its life at once: the search for a smaller one may take an hour. */
function violationOf(life: Life | ApproveLife, message: string): Error {
  if (!isViolated) console.error(`Life ${played} violated a rule; seeking a smaller one.\n${message}\n${fc.stringify(life)}`);
  isViolated = true;
  return new Error(message);
}
