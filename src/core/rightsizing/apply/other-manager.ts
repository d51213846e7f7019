// Whether another tool sizes these pods. It is told by what such tools leave on the pods themselves: that needs no right to
// read kinds of theirs, and says what they really did rather than what they might do.

import type { PodRecord } from '../../model/pod.ts';

/**
 * Left on pods by the Vertical Pod Autoscaler where it acts (in every mode but Off): `vpaUpdates` by its admission webhook,
 * `vpaInPlaceUpdated` by its updater.
 */
export const VPA_POD_ANNOTATIONS = ['vpaUpdates', 'vpaInPlaceUpdated'] as const;

/** Which tool it is and what to do, in words; null: none. KEDA acts through autoscalers, which have an interlock of their own. */
export function otherManager(pods: readonly PodRecord[]): string | null {
  const pod = pods.find(({ annotations }) => VPA_POD_ANNOTATIONS.some((name) => annotations[name] !== undefined));
  if (pod === undefined) return null;
  const by = /^Pod resources updated by ([^\s:]+)/.exec(pod.annotations['vpaUpdates'] ?? '')?.[1];
  return (
    `VerticalPodAutoscaler${by === undefined ? '' : ` ${by}`} sizes ${pod.name}; set its updateMode to Off or delete it, ` +
    `then restart the pods (until then their annotations tell of it)`
  );
}
