import type { ControllerPorts } from '../controller-ports.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { StatefulSet } from '../wire/workload.ts';
import type { Pod } from '../wire/pod.ts';
import { claimName } from './identity.ts';

const RESOURCE = 'persistentvolumeclaims';

/** Creates the claims for a new pod of the set. They outlive it unless the set's retention policy deletes them. */
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

/** Before a pod is scaled down: with the policy Delete, its claims are deleted with it. */
export function releaseClaims({ cluster }: ControllerPorts, set: StatefulSet, pod: Pod): void {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return;
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    cluster.modify(RESOURCE, set.metadata.namespace ?? '', claimName(template, pod.metadata.name), (draft) => {
      const others = (draft.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== pod.metadata.uid);
      draft.metadata.ownerReferences = [...others, ownerReference(pod)];
    });
  }
}

/** An owner reference without controller: the claim is deleted with the owner, but not managed by it. */
function ownerReference(owner: KubeObject): object & { apiVersion: string; kind: string; name: string; uid: string } {
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid };
}
