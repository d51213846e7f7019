// Answers AdmissionReviews. Every request is allowed; only sizes change.
// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/

import { POD_ANNOTATIONS } from '../../apis/annotations.ts';
import { creationPatch, type PlacedContainer } from '../../core/resize/creation/creation-patch.ts';
import type { NewInitContainer } from '../../core/resize/creation/new-pod.ts';
import type { CreationRequest, SizesAtCreation } from '../../ports/cluster/sizes-at-creation.ts';
import { optionalResources, requestsAndLimits } from '../kubernetes/decode/decode-quantities.ts';
import { asObject, objectAt, objectsAt, optionalObjectAt, textAt, WireError, type Wire } from '../kubernetes/wire.ts';

/** `sized`: the answer has a patch. `as-asked`: no change. `unread`: the request is malformed, and the pod is created unchanged. */
export type ReviewOutcome = 'sized' | 'as-asked' | 'unread';

export interface ReviewAnswer {
  readonly outcome: ReviewOutcome;
  readonly body: object;
}

/** Returns the AdmissionReview response, which always allows the pod. @param body the parsed request; null where it is not JSON */
export function answerReview(body: unknown, sizes: SizesAtCreation): ReviewAnswer {
  let uid = '';
  try {
    const request = objectAt(asObject(body, 'body'), 'request');
    uid = textAt(request, 'uid');
    const patch = patchFor(request, sizes);
    if (patch.length === 0) return allowed(uid, 'as-asked');
    return allowed(uid, 'sized', { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') });
  } catch (err) {
    if (err instanceof WireError) return allowed(uid, 'unread');
    throw err;
  }
}

function allowed(uid: string, outcome: ReviewOutcome, more: object = {}): ReviewAnswer {
  return { outcome, body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true, ...more } } };
}

function patchFor(request: Wire, sizes: SizesAtCreation): ReturnType<typeof creationPatch> {
  const pod = optionalObjectAt(request, 'object');
  const isCreation = textAt(objectAt(request, 'resource'), 'resource') === 'pods' && textAt(request, 'operation') === 'CREATE';
  if (pod === null || !isCreation || textAt(request, 'subResource') !== '') return [];
  const spec = objectAt(pod, 'spec');
  // Pod-level resources and Windows pods are not supported.
  if (optionalObjectAt(spec, 'resources') !== null || textAt(objectAt(spec, 'os'), 'name') === 'windows') return [];
  const metadata = objectAt(pod, 'metadata');
  // Reinvoked after another webhook: the size is already changed, and would be mistaken for the template's request.
  if (POD_ANNOTATIONS.sizeAtCreation in objectAt(metadata, 'annotations')) return [];
  const containers = readContainers(spec);
  const size = sizes.sizeOf(requestOf(textAt(request, 'namespace'), metadata, spec, containers));
  return size === null ? [] : creationPatch(containers, size, optionalObjectAt(metadata, 'annotations') !== null);
}

interface ContainerAtPath extends PlacedContainer {
  readonly sidecar: boolean;
}

function readContainers(spec: Wire): readonly ContainerAtPath[] {
  const at = (container: Wire, path: string, sidecar: boolean): ContainerAtPath => {
    const resources = optionalObjectAt(container, 'resources');
    const has = (part: string): boolean => resources !== null && optionalObjectAt(resources, part) !== null;
    return {
      name: textAt(container, 'name'),
      sidecar,
      path,
      has: { resources: resources !== null, requests: has('requests'), limits: has('limits') },
      ...requestsAndLimits(resources ?? {}, `${path}/resources`),
    };
  };
  return [
    ...objectsAt(spec, 'containers').map((container, index) => at(container, `/spec/containers/${index}`, false)),
    ...objectsAt(spec, 'initContainers').flatMap((container, index) =>
      container['restartPolicy'] === 'Always' ? [at(container, `/spec/initContainers/${index}`, true)] : [],
    ),
  ];
}

function requestOf(namespace: string, metadata: Wire, spec: Wire, containers: readonly ContainerAtPath[]): CreationRequest {
  const owner = objectsAt(metadata, 'ownerReferences').find((reference) => reference['controller'] === true);
  const policy = textAt(spec, 'restartPolicy');
  return {
    namespace,
    owner:
      owner === undefined
        ? null
        : { apiVersion: textAt(owner, 'apiVersion'), kind: textAt(owner, 'kind'), name: textAt(owner, 'name'), uid: textAt(owner, 'uid') },
    labels: texts(objectAt(metadata, 'labels')),
    annotations: texts(objectAt(metadata, 'annotations')),
    node: nodeOf(spec),
    restartPolicy: policy === 'Never' || policy === 'OnFailure' ? policy : 'Always',
    containers,
    initContainers: initContainersOf(spec),
    overhead: optionalResources(objectAt(spec, 'overhead'), '/spec/overhead'),
    priorityClass: textAt(spec, 'priorityClassName'),
    terminating: typeof spec['activeDeadlineSeconds'] === 'number',
  };
}

function initContainersOf(spec: Wire): readonly NewInitContainer[] {
  let sidecarsBefore = 0;
  return objectsAt(spec, 'initContainers').flatMap((container, index) => {
    if (container['restartPolicy'] === 'Always') {
      sidecarsBefore += 1;
      return [];
    }
    const path = `/spec/initContainers/${index}/resources`;
    return [{ ...requestsAndLimits(objectAt(container, 'resources', path), path), sidecarsBefore }];
  });
}

/** The DaemonSet controller names the node in the affinity and leaves binding to the scheduler. */
function nodeOf(spec: Wire): string | null {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const terms = objectsAt(objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution'), 'nodeSelectorTerms');
  const fields = terms.length === 1 ? terms.flatMap((term) => objectsAt(term, 'matchFields')) : [];
  const names = fields.flatMap(({ key, operator, values }) =>
    key === 'metadata.name' && operator === 'In' && Array.isArray(values) ? (values as unknown[]) : [],
  );
  const [name] = names;
  if (names.length === 1 && typeof name === 'string') return name;
  const bound = textAt(spec, 'nodeName');
  return bound === '' ? null : bound;
}

function texts(map: Wire): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
