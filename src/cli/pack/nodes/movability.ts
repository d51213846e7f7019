// Whether a running pod may move: the rules by which Cluster Autoscaler and Karpenter keep a node.

import { isObject } from '#kube/json';
import type { Labels } from '#kube/label-selector';
import { booleanAt, objectAt, objectsAt, optionalObjectAt, textAt, textsByKeyAt, type Wire } from '#kube/wire';
import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { PodPlace } from '../../../core/packing-rules/fix-nodes.ts';
import { isEvictable } from '../../../core/resize/plan/steps/plan-steps.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import { readHeldRequests } from './held-requests.ts';
import type { LocalClaims } from './local-claims.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const LOCAL_VOLUMES = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes';

/** What the movement of a pod depends on besides the pod. */
export interface MovementFacts {
  readonly budgets: DisruptionBudgets;
  readonly localClaims: LocalClaims;
}

/**
 * Where a pod runs, and whether it may move; null: it is on no node; `not-packed`: a pod of a DaemonSet that is on no node yet. Static
 * pods, pods of DaemonSets and pods that are being deleted go with their node. @throws WireError
 */
export function readPlace(pod: Wire, namespace: string, facts: MovementFacts): PodPlace | 'not-packed' | null {
  const spec = objectAt(pod, 'spec');
  const node = textAt(spec, 'nodeName', 'spec.nodeName');
  const metadata = objectAt(pod, 'metadata');
  const controller = controllerKindOf(metadata);
  if (node === '') return controller === 'DaemonSet' ? 'not-packed' : null;
  const annotations = textsByKeyAt(metadata, 'annotations', 'metadata.annotations');
  const amounts = readHeldRequests(pod);
  const held = amounts === null ? {} : { held: amounts };
  const isOfNode = annotations[MIRROR] !== undefined || controller === 'Node' || controller === 'DaemonSet';
  const isBeingDeleted = textAt(metadata, 'deletionTimestamp', 'metadata.deletionTimestamp') !== '';
  if (isOfNode || isBeingDeleted) return { node, movement: isOfNode ? 'goes' : 'ends', why: null, isApart: false, ...held };
  const labels = textsByKeyAt(metadata, 'labels', 'metadata.labels');
  const why = whyItStays({ spec, annotations, controller, namespace, labels }, facts);
  return { node, movement: why === null ? 'moves' : 'stays', why, isApart: false, ...held };
}

interface PodFacts {
  readonly spec: Wire;
  readonly annotations: Readonly<Record<string, string>>;
  readonly controller: string | null;
  readonly namespace: string;
  readonly labels: Labels;
}

/** The first reason. `safe-to-evict: "true"` permits what would lose data or the pod; no annotation permits what a budget forbids. */
function whyItStays(
  { spec, annotations, controller, namespace, labels }: PodFacts,
  { budgets, localClaims }: MovementFacts,
): string | null {
  if (!isEvictable({ annotations })) return 'an annotation forbids to disrupt it';
  const safeToEvict = annotations[POD_ANNOTATIONS.safeToEvict];
  if (safeToEvict === 'on-completion') return 'it may be evicted when it has ended';
  if (safeToEvict !== 'true') {
    if (controller === null) return 'it has no controller';
    if (hasLocalVolume(spec, annotations)) return 'it has local storage';
  }
  // Its data is on the node, whatever is permitted.
  if (localClaims.isUsedBy(spec, namespace)) return 'its PersistentVolume is local';
  return budgets.whyBlocked(namespace, labels);
}

/** Whether a pod is of a DaemonSet. @throws WireError */
export function isOfDaemonSet(pod: Wire): boolean {
  return controllerKindOf(objectAt(pod, 'metadata')) === 'DaemonSet';
}

/** Kind of the controller; null: none. */
function controllerKindOf(metadata: Wire): string | null {
  const owners = objectsAt(metadata, 'ownerReferences', 'metadata.ownerReferences');
  const controller = owners.find((owner) => booleanAt(owner, 'controller', false, 'metadata.ownerReferences[].controller'));
  return controller === undefined ? null : textAt(controller, 'kind', 'metadata.ownerReferences[].kind');
}

/** An emptyDir on disk or a hostPath that is not listed as safe. */
function hasLocalVolume(spec: Wire, annotations: Readonly<Record<string, string>>): boolean {
  const safe = new Set((annotations[LOCAL_VOLUMES] ?? '').split(',').map((name) => name.trim()));
  return objectsAt(spec, 'volumes', 'spec.volumes').some((volume) => {
    const emptyDir = optionalObjectAt(volume, 'emptyDir', 'spec.volumes[].emptyDir');
    const isLocal = (emptyDir !== null && textAt(emptyDir, 'medium') !== 'Memory') || isObject(volume['hostPath']);
    return isLocal && !safe.has(textAt(volume, 'name', 'spec.volumes[].name'));
  });
}
