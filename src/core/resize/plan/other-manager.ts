// Whether another tool sizes these pods. Its own objects tell where they can be seen; what it left on the pods tells
// everywhere, and says what it really did.

import type { WorkloadSituation } from '../model/situation.ts';

/**
 * Left on pods by the Vertical Pod Autoscaler where it acts (in every mode but Off): `vpaUpdates` by its admission webhook,
 * `vpaInPlaceUpdated` by its updater.
 */
export const VPA_POD_ANNOTATIONS = ['vpaUpdates', 'vpaInPlaceUpdated'] as const;

/** In these it touches no running pod. */
const HARMLESS_MODES: ReadonlySet<string> = new Set(['Off', 'Initial']);

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
