// Detects other managers of the pods' resources: a VerticalPodAutoscaler, by its object or annotations, or a field manager that has
// resized pods. Its values are kept for an hour, then corrected once, and kept for longer each time they come back, so that two
// managers do not revert each other for ever.

import type { PodRecord } from '#kube/records/pod';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, HOUR_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { isEvenkeelManager } from '../../../model/field-managers.ts';
import { fitPod } from '../pod/pod-change.ts';
import type { ExternalResizes, WorkloadSituation } from '../../model/situation.ts';

/**
 * Annotations that the Vertical Pod Autoscaler sets on pods in every mode except Off: `vpaUpdates` by its admission webhook,
 * `vpaInPlaceUpdated` by its updater.
 */
export const VPA_POD_ANNOTATIONS = ['vpaUpdates', 'vpaInPlaceUpdated'] as const;

/** Modes in which it does not change running pods. */
const HARMLESS_MODES: ReadonlySet<string> = new Set(['Off', 'Initial']);

/** Time for which external values are kept, by the number of occurrences; the last one for all further occurrences. */
const OTHER_MANAGER_COOLDOWN_MS: readonly DurationMs[] = [HOUR_MS, 6 * HOUR_MS, 7 * DAY_MS];
/** After this time without another resize the count starts again. */
const FORGOTTEN_AFTER_MS: DurationMs = 7 * DAY_MS;

/** Message that names the other tool and the remedy; null: none. KEDA acts through HorizontalPodAutoscalers, see `autoscaler-bounds.ts`. */
export function findOtherManager({ pods, vpas }: Pick<WorkloadSituation, 'pods' | 'vpas'>): string | null {
  const acting = vpas.find(({ updateMode }) => !HARMLESS_MODES.has(updateMode));
  if (acting !== undefined) {
    return `VerticalPodAutoscaler ${acting.name} sizes the pods (updateMode ${acting.updateMode}); set updateMode to Off, and delete it once its pods were replaced`;
  }
  // A VerticalPodAutoscaler in mode Initial annotates pods only at creation.
  if (vpas.length > 0) return null;
  const pod = pods.find(({ annotations }) => VPA_POD_ANNOTATIONS.some((name) => annotations[name] !== undefined));
  if (pod === undefined) return null;
  const by = /^Pod resources updated by ([^\s:]+)/.exec(pod.annotations['vpaUpdates'] ?? '')?.[1];
  return (
    `VerticalPodAutoscaler${by === undefined ? '' : ` ${by}`} sizes ${pod.name}; set its updateMode to Off or delete it, ` +
    `then restart the pods, whose annotations still name it`
  );
}

/** The external resizes to store; null: none. */
export function externalResizes(situation: WorkloadSituation): ExternalResizes | null {
  const { now, memory } = situation;
  const known = memory.externalResizes !== null && now < memory.externalResizes.until + FORGOTTEN_AFTER_MS ? memory.externalResizes : null;
  const latest = findLatestExternal(situation);
  if (latest === null || (known !== null && latest.at <= known.at)) return known;
  // Another resize during the time in which the values are kept does not count again.
  if (known !== null && now < known.until) return { ...known, ...latest };
  const count = (known?.count ?? 0) + 1;
  const lasts = OTHER_MANAGER_COOLDOWN_MS[Math.min(count, OTHER_MANAGER_COOLDOWN_MS.length) - 1] ?? 0;
  return { ...latest, count, until: now + lasts };
}

/** Message about the latest external resize while its values are kept; null: none, or the time has passed. */
export function describeExternalResizes(others: ExternalResizes | null, now: Instant): string | null {
  if (others === null || now >= others.until) return null;
  const { by, pod, at, count } = others;
  const again = count === 1 ? '' : `, the ${count === 2 ? 'second' : `${count}th`} time`;
  return `${pod} was resized by ${by} at ${isoTime(at)}${again}; its values are kept for some time. To keep them, set evenkeel.io/floor or evenkeel.io/mode: Off`;
}

function findLatestExternal({ pods, memory, kubeletVersions }: WorkloadSituation): Pick<ExternalResizes, 'by' | 'pod' | 'at'> | null {
  const ours =
    memory.apply === null
      ? memory.lastApplied && { values: memory.lastApplied.values, at: memory.lastApplied.at }
      : { values: memory.apply.values, at: memory.apply.startedAt };
  if (ours === null) return null;
  const { values, at } = ours;
  // Times in managedFields are whole seconds.
  const since = Math.floor(at / SECOND_MS) * SECOND_MS;
  let latest: Pick<ExternalResizes, 'by' | 'pod' | 'at'> | null = null;
  for (const pod of pods) {
    const by = findExternalResize(pod, since);
    if (by === null || by.at <= (latest?.at ?? 0)) continue;
    if (fitPod(pod, values, kubeletVersions.get(pod.node ?? '') ?? '').kind === 'fits') continue;
    latest = { by: by.manager, pod: pod.name, at: by.at };
  }
  return latest;
}

function findExternalResize({ resizedBy }: PodRecord, since: Instant): PodRecord['resizedBy'] {
  return resizedBy === null || resizedBy.at < since || isEvenkeelManager(resizedBy.manager) ? null : resizedBy;
}

/** `describeExternalResizes` for the external resizes of this situation. */
export function describeKeptResizes(context: WorkloadSituation): string | null {
  return describeExternalResizes(externalResizes(context), context.now);
}
