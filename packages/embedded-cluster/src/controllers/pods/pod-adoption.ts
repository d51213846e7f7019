import type { LabelSelector } from '#kube/label-selector';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ControllerPorts } from '../controller-ports.ts';
import { controllerReference } from '../object-key.ts';
import { isActive } from './pod-state.ts';
import { isSelectorMatch } from '../selectors.ts';
import type { Pod } from '../wire/pod.ts';

/** Pods of a controller, after it adopted matching pods without a controller and released pods whose labels no longer match. */
export function claimPods(ports: ControllerPorts, owner: KubeObject, selector: LabelSelector): Pod[] {
  const { cluster, pods } = ports;
  const claimed: Pod[] = [];
  for (const pod of pods.ownedBy(owner.metadata.uid)) {
    if (isSelectorMatch(selector, pod.metadata.labels)) claimed.push(pod);
    else if (owner.metadata.deletionTimestamp === undefined) release(ports, owner, pod);
  }
  if (owner.metadata.deletionTimestamp !== undefined) return claimed;
  for (const pod of pods.orphansIn(owner.metadata.namespace ?? '')) {
    if (!isActive(pod) || !isSelectorMatch(selector, pod.metadata.labels)) continue;
    const adopted = cluster.modify('pods', pod.metadata.namespace ?? '', pod.metadata.name, (draft) => {
      draft.metadata.ownerReferences = [...(draft.metadata.ownerReferences ?? []), controllerReference(owner)];
    });
    if (adopted === undefined) continue;
    pods.note(adopted);
    claimed.push(adopted as Pod);
  }
  return claimed;
}

function release({ cluster, pods }: ControllerPorts, owner: KubeObject, pod: Pod): void {
  const released = cluster.modify('pods', pod.metadata.namespace ?? '', pod.metadata.name, (draft) => {
    draft.metadata.ownerReferences = (draft.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  });
  if (released !== undefined) pods.note(released);
}
