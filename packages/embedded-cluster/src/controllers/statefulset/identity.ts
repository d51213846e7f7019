// Identity of a StatefulSet's pod: its ordinal, its name, its claims.

import type { PodDraft } from '../pods/pod-from-template.ts';
import { podFromTemplate } from '../pods/pod-from-template.ts';
import { REVISION_HASH } from '../owners/revision-history.ts';
import type { Pod, PodTemplate } from '../wire/pod.ts';
import type { ClaimTemplate, StatefulSet } from '../wire/workload.ts';

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';

export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${String(ordinal)}`;
}

/** -1 when the name does not belong to the set. */
export function ordinalOf(set: StatefulSet, pod: Pod): number {
  const prefix = `${set.metadata.name}-`;
  const rest = pod.metadata.name.slice(prefix.length);
  return pod.metadata.name.startsWith(prefix) && /^\d+$/.test(rest) ? Number(rest) : -1;
}

export function claimName({ metadata }: ClaimTemplate, pod: string): string {
  return `${metadata.name}-${pod}`;
}

export function revisionOfPod(pod: Pod): string {
  return pod.metadata.labels?.[REVISION_HASH] ?? '';
}

export function podOfSet(set: StatefulSet, template: PodTemplate, ordinal: number, revision: string): PodDraft {
  const name = podName(set, ordinal);
  const draft = podFromTemplate(set, template, name);
  Object.assign(draft.metadata.labels, { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal), [REVISION_HASH]: revision });
  const { spec } = draft;
  spec.hostname = name;
  if (set.spec.serviceName !== undefined) spec.subdomain = set.spec.serviceName;
  const claims = set.spec.volumeClaimTemplates ?? [];
  if (claims.length > 0) {
    const own = claims.map((claim) => ({ name: claim.metadata.name, persistentVolumeClaim: { claimName: claimName(claim, name) } }));
    const others = (spec.volumes ?? []).filter((volume) => !own.some((each) => each.name === volume.name));
    spec.volumes = [...own, ...others];
  }
  return draft;
}
