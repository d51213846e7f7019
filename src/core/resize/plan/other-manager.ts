// What else sizes these pods: another tool, as its own objects or what it left on the pods show, or a field manager that has
// resized them since. That manager's size stays for a while, is put right once more after that, and stays for long where it
// happens again: two managers do not undo each other's work for ever.

import type { PodRecord } from '#kube/records/pod';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { isOwnManager } from '../../model/field-managers.ts';
import { fitPod } from './pod-change.ts';
import type { OtherResizes, WorkloadSituation } from '../model/situation.ts';

/**
 * Left on pods by the Vertical Pod Autoscaler where it acts (in every mode but Off): `vpaUpdates` by its admission webhook,
 * `vpaInPlaceUpdated` by its updater.
 */
export const VPA_POD_ANNOTATIONS = ['vpaUpdates', 'vpaInPlaceUpdated'] as const;

/** In these it touches no running pod. */
const HARMLESS_MODES: ReadonlySet<string> = new Set(['Off', 'Initial']);

/** By how often it has happened; the last for all further ones. */
const LEFT_FOR_MS: readonly DurationMs[] = [HOUR_MS, 6 * HOUR_MS, 7 * DAY_MS];
/** After so long in peace it is forgotten. */
const FORGOTTEN_AFTER_MS: DurationMs = 7 * DAY_MS;

/** Which tool it is and what to do, in words; null: none. KEDA acts through autoscalers, which have an interlock of their own. */
export function otherManager({ pods, vpas }: Pick<WorkloadSituation, 'pods' | 'vpas'>): string | null {
  const acting = vpas.find(({ updateMode }) => !HARMLESS_MODES.has(updateMode));
  if (acting !== undefined) {
    return `VerticalPodAutoscaler ${acting.name} sizes its pods (updateMode ${acting.updateMode}); set that to Off, or delete it`;
  }
  // One that is there and lets running pods be has left its notes when they were created.
  if (vpas.length > 0) return null;
  const pod = pods.find(({ annotations }) => VPA_POD_ANNOTATIONS.some((name) => annotations[name] !== undefined));
  if (pod === undefined) return null;
  const by = /^Pod resources updated by ([^\s:]+)/.exec(pod.annotations['vpaUpdates'] ?? '')?.[1];
  return (
    `VerticalPodAutoscaler${by === undefined ? '' : ` ${by}`} sizes ${pod.name}; set its updateMode to Off or delete it, ` +
    `then restart the pods (until then their annotations tell of it)`
  );
}

/** What to remember from now on of resizes by others; null: nothing. */
export function externalResizes(situation: WorkloadSituation): OtherResizes | null {
  const { now, memory } = situation;
  const known = memory.externalResizes !== null && now < memory.externalResizes.until + FORGOTTEN_AFTER_MS ? memory.externalResizes : null;
  const latest = latestByOthers(situation);
  if (latest === null || (known !== null && latest.at <= known.at)) return known;
  // More of the same, while it is being left alone.
  if (known !== null && now < known.until) return { ...known, ...latest };
  const count = (known?.count ?? 0) + 1;
  const lasts = LEFT_FOR_MS[Math.min(count, LEFT_FOR_MS.length) - 1] ?? 0;
  return { ...latest, count, until: now + lasts };
}

/** The last of them in words, while it is being left alone; null: it is not. */
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
  return heldByOthers(externalResizes(context), context.now);
}
