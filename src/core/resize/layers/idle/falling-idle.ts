// Whether a workload may be made small now, and if not, why. Only what would be idle but for something in the way says so:
// a workload that is in use, or always this small, is no candidate at all.

import type { AwaitingReason } from '../../../../apis/conditions.ts';
import { HPA_ANNOTATIONS } from '../../../../apis/annotations.ts';
import { formatDuration } from '../../../model/duration.ts';
import { MINUTE_MS, type Instant } from '#kube/units';
import type { WorkloadSituation } from '../../model/situation.ts';
import { AFTER_OOM_MS, quietNeededMs, wakeThreshold } from '../../policy/idle-rules.ts';
import { holdsDecisions, outsideWindow } from '../../plan/interlocks.ts';

export type IdleCandidacy =
  /** In use, too small to matter, of a kind that is never made small, or not asked for. */
  | { readonly kind: 'no' }
  | { readonly kind: 'held'; readonly reason: AwaitingReason; readonly message: string; readonly until: Instant | null }
  | { readonly kind: 'yes'; readonly quietSince: Instant };

/**
 * Pods of a Job end by themselves, and those of a DaemonSet serve their node, which is in use whatever they use themselves;
 * a bare pod has no owner that would keep its natural size.
 */
const NEVER: ReadonlySet<string> = new Set(['Job', 'CronJob', 'DaemonSet', 'Pod']);

const NO: IdleCandidacy = { kind: 'no' };

export function idleCandidacy(situation: WorkloadSituation): IdleCandidacy {
  const { now, workload, policy, memory, gateState } = situation;
  if (!policy.idle.enabled || gateState.idleWorkloads !== true || NEVER.has(workload.kind)) return NO;
  const quietSince = quietSinceOf(situation);
  const needed = quietNeededMs(policy.idle, memory.lastIdle?.shortIdlePeriods ?? 0);
  if (now - quietSince < needed || !haveAllReported(situation) || !wasInUse(situation)) return NO;
  if (killedLately(situation) || memory.limitExceptions.some(({ state }) => state === 'open')) return NO;
  const held = holdsIt(situation, `quiet for ${formatDuration(Math.floor((now - quietSince) / MINUTE_MS) * MINUTE_MS)}`);
  return held ?? { kind: 'yes', quietSince };
}

/** What it slept before does not count again. */
function quietSinceOf({ activity, memory }: WorkloadSituation): Instant {
  return Math.max(activity?.quietSince ?? Number.POSITIVE_INFINITY, memory.lastIdle?.wokenAt ?? 0);
}

/** Whether every pod reports samples: silence without them proves nothing. */
function haveAllReported({ pods, unreadPods, activity }: WorkloadSituation): boolean {
  const running = pods.filter(({ phase }) => phase === 'Running');
  return running.length > 0 && unreadPods.size === 0 && running.every(({ name }) => activity?.reported.has(name) === true);
}

/** A workload that was never seen in use is small, not idle: its size is a matter of right-sizing. */
function wasInUse({ policy, advice, activity, pods }: WorkloadSituation): boolean {
  const wake = wakeThreshold(policy.idle);
  if ((activity?.busiestMillicores ?? 0) >= wake) return true;
  const peaks = advice.reduce((sum, { cpu }) => sum + (cpu?.peak ?? 0), 0);
  return peaks * Math.max(1, pods.length) >= wake;
}

function killedLately({ now, advice, policy }: WorkloadSituation): boolean {
  const since = Math.max(AFTER_OOM_MS, policy.idle.afterMs);
  return advice.some(({ lastOomAt }) => lastOomAt !== null && now - lastOomAt < since);
}

/** In the order in which a person would ask. */
function holdsIt(situation: WorkloadSituation, quiet: string): IdleCandidacy | null {
  const { now, workload, gateState } = situation;
  const held = (reason: AwaitingReason, why: string, until: Instant | null = null): IdleCandidacy => ({
    kind: 'held',
    reason,
    message: `idle, ${quiet}; not made small: ${why}`,
    until,
  });
  const hold = holdsDecisions(situation);
  if (hold !== null) return held(hold.reason, hold.message, hold.until);
  if (workload.rolloutInProgress) return held('rollout', 'a roll-out is in progress');
  const never = situation.hpas.find(({ annotations }) => annotations[HPA_ANNOTATIONS.idle] === 'never');
  if (never !== undefined) return held('hpa', `HorizontalPodAutoscaler ${never.name} says never (annotation ${HPA_ANNOTATIONS.idle})`);
  if (gateState.warmUpUntil !== null && gateState.warmUpUntil > now) {
    return held('warm-up', 'usage is observed for a while after a start or an outage', gateState.warmUpUntil);
  }
  const closed = outsideWindow(situation);
  return closed === null ? null : held('window', closed.message, closed.until);
}

/** Why its requests must stay as they are; null: they may be lowered. An autoscaler that measures against them would add replicas. */
export function whyNotInPlace({ hpas, policy, pods }: WorkloadSituation): { readonly reason: AwaitingReason; readonly why: string } | null {
  if (policy.apply === 'OnRestart') return { reason: 'restart', why: 'its policy sizes pods at creation alone (apply: OnRestart)' };
  if (pods.some(({ qosClass }) => qosClass === 'Guaranteed'))
    return { reason: 'restart', why: 'its pods are Guaranteed: their requests equal their limits, and limits stay while it is idle' };
  for (const hpa of hpas) {
    const name = `HorizontalPodAutoscaler ${hpa.name}`;
    const measured = hpa.resourceMetrics.find(({ targetUtilizationRatio }) => targetUtilizationRatio !== null);
    if (measured !== undefined) {
      return { reason: 'hpa', why: `${name} measures ${measured.resource} against the request and would add replicas` };
    }
    if (hpa.desiredReplicas !== hpa.currentReplicas) return { reason: 'hpa', why: `${name} is changing the replicas` };
  }
  return null;
}
