// Pods that had been given a size and that somebody else has resized since. Whoever it was meant it: it stays for a while, is
// put right once more after that, and stays for long where it happens again. Never a fight.

import type { PodRecord } from '../../model/pod.ts';
import { isoTime } from '../../model/iso-time.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '../../model/units.ts';
import { isOwnManager } from '../../model/field-managers.ts';
import { fitPod } from './pod-change.ts';
import type { OtherResizes, WorkloadSituation } from '../model/situation.ts';

/** By how often it has happened; the last for all further ones. */
const LEFT_FOR_MS: readonly DurationMs[] = [HOUR_MS, 6 * HOUR_MS, 7 * DAY_MS];
/** After so long in peace it is forgotten. */
const FORGOTTEN_AFTER_MS: DurationMs = 7 * DAY_MS;

/** What to remember from now on; null: nothing. */
export function otherResizes(situation: WorkloadSituation): OtherResizes | null {
  const { now, memory } = situation;
  const known = memory.otherResizes !== null && now < memory.otherResizes.until + FORGOTTEN_AFTER_MS ? memory.otherResizes : null;
  const latest = latestByOthers(situation);
  if (latest === null || (known !== null && latest.at <= known.at)) return known;
  // More of the same, while it is being left alone.
  if (known !== null && now < known.until) return { ...known, ...latest };
  const count = (known?.count ?? 0) + 1;
  const lasts = LEFT_FOR_MS[Math.min(count, LEFT_FOR_MS.length) - 1] ?? 0;
  return { ...latest, count, until: now + lasts };
}

/** In words, while it is being left alone; null: it is not. */
export function heldByOthers(others: OtherResizes | null, now: Instant): string | null {
  if (others === null || now >= others.until) return null;
  const { by, pod, at, count } = others;
  const again = count === 1 ? '' : `, the ${count === 2 ? 'second' : `${count}th`} time`;
  return `${pod} was resized by ${by} at ${isoTime(at)}${again}; that is left alone for a while. To keep it, set evenkeel.io/floor or evenkeel.io/mode: Off`;
}

function latestByOthers({ pods, memory, kubeletVersions }: WorkloadSituation): Pick<OtherResizes, 'by' | 'pod' | 'at'> | null {
  const ours =
    memory.apply === null
      ? memory.lastApplied && { values: memory.lastApplied.values, at: memory.lastApplied.at }
      : { values: memory.apply.values, at: memory.apply.startedAt };
  if (ours === null) return null;
  const { values, at } = ours;
  // Times of the server's record are whole seconds.
  const since = Math.floor(at / SECOND_MS) * SECOND_MS;
  let latest: Pick<OtherResizes, 'by' | 'pod' | 'at'> | null = null;
  for (const pod of pods) {
    const by = foreignSince(pod, since);
    if (by === null || by.at <= (latest?.at ?? 0)) continue;
    if (fitPod(pod, values, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits') continue;
    latest = { by: by.manager, pod: pod.name, at: by.at };
  }
  return latest;
}

function foreignSince({ resizedBy }: PodRecord, since: Instant): PodRecord['resizedBy'] {
  return resizedBy === null || resizedBy.at < since || isOwnManager(resizedBy.manager) ? null : resizedBy;
}

/** The same of the context as it is. */
export function resizesLeftAlone(context: WorkloadSituation): string | null {
  return heldByOthers(otherResizes(context), context.now);
}
