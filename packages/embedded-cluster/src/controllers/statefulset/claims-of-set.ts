import type { ControllerPorts } from '../controller-ports.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { StatefulSet } from '../wire/workload.ts';
import type { Pod } from '../wire/pod.ts';
import { claimName } from './identity.ts';

const RESOURCE = 'persistentvolumeclaims';

/** Makes the claims that a pod of the set is about to use. They outlive it unless the set's retention policy says otherwise. */
export function createClaims({ cluster, events }: ControllerPorts, set: StatefulSet, pod: string): void {
  const namespace = set.metadata.namespace ?? '';
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(template, pod);
    if (cluster.get(RESOURCE, namespace, name) !== undefined) continue;
    const goesWithSet = set.spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
    cluster.create(RESOURCE, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        namespace,
        labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
        ...(template.metadata.annotations === undefined ? {} : { annotations: { ...template.metadata.annotations } }),
        ...(goesWithSet ? { ownerReferences: [ownerReference(set)] } : {}),
      },
      spec: structuredClone(template.spec),
    });
    const message = `create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`;
    events.emit(set, 'statefulset-controller', 'Normal', 'SuccessfulCreate', message);
  }
}

/** Before a pod is scaled away: its claims go with it where the policy is to delete them. */
export function releaseClaims({ cluster }: ControllerPorts, set: StatefulSet, pod: Pod): void {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return;
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    cluster.modify(RESOURCE, set.metadata.namespace ?? '', claimName(template, pod.metadata.name), (draft) => {
      const others = (draft.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== pod.metadata.uid);
      draft.metadata.ownerReferences = [...others, ownerReference(pod)];
    });
  }
}

/** Not as a controller: the claim is not managed by it, it only goes with it. */
function ownerReference(owner: KubeObject): object & { apiVersion: string; kind: string; name: string; uid: string } {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid };
}
