// Builds the JSON patch of an in-place resize from the pod as currently stored by the server.

import type { PodResize } from '../../../core/effects/effect.ts';
import type { JsonPatchOperation } from '../../../core/model/encoding/json-patch.ts';
import { formatCpu, formatMemory } from '#kube/quantity';
import { isSameResources, type OptionalResources, type RequestsAndLimits } from '#kube/records/resources';
import { requestsAndLimits } from '../decode/decode-quantities.ts';
import { objectAt, objectsAt, optionalObjectAt, textAt, type Wire } from '../wire.ts';

export type ResizePatch =
  | { readonly kind: 'patch'; readonly operations: readonly JsonPatchOperation[] }
  /** The pod already has these resources: no request is needed. */
  | { readonly kind: 'same' }
  | { readonly kind: 'conflict' | 'gone'; readonly message: string };

/**
 * Returns a patch guarded by the pod's UID, each container's name at its index, and the resources on which the decision was based.
 * Quantities have many spellings, so test values are copied from `pod` after a comparison by amount.
 * @throws WireError where the pod is malformed
 */
export function resizePatch(resize: PodResize, pod: Wire): ResizePatch {
  const metadata = objectAt(pod, 'metadata');
  if (metadata['uid'] !== resize.uid)
    return { kind: 'gone', message: `pod ${resize.target.name} was replaced by another of the same name` };
  if (metadata['deletionTimestamp'] !== undefined) return { kind: 'gone', message: `pod ${resize.target.name} is being deleted` };
  const operations: JsonPatchOperation[] = [{ op: 'test', path: '/metadata/uid', value: resize.uid }];
  let changes = 0;
  for (const change of resize.containers) {
    const found = findContainer(pod, change.name);
    if (found === null) return { kind: 'conflict', message: `pod ${resize.target.name} has no container ${change.name}` };
    const raw = optionalObjectAt(found.container, 'resources');
    const now = requestsAndLimits(raw ?? {}, `${found.pointer}/resources`);
    if (isSameSize(now, change.to)) continue;
    if (!isSameSize(now, change.from)) {
      return {
        kind: 'conflict',
        message: `container ${change.name} of pod ${resize.target.name} no longer has the resources on which the decision was based`,
      };
    }
    changes += 1;
    operations.push({ op: 'test', path: `${found.pointer}/name`, value: change.name });
    if (raw !== null) operations.push({ op: 'test', path: `${found.pointer}/resources`, value: raw });
    operations.push({
      op: raw === null ? 'add' : 'replace',
      path: `${found.pointer}/resources`,
      value: resourcesOf(raw ?? {}, now, change.to),
    });
  }
  return changes === 0 ? { kind: 'same' } : { kind: 'patch', operations };
}

function findContainer(pod: Wire, name: string): { readonly container: Wire; readonly pointer: string } | null {
  const spec = objectAt(pod, 'spec');
  for (const list of ['containers', 'initContainers']) {
    const containers = objectsAt(spec, list);
    const index = containers.findIndex((container) => textAt(container, 'name') === name);
    const container = containers[index];
    if (container !== undefined) return { container, pointer: `/spec/${list}/${index}` };
  }
  return null;
}

// Other resources (ephemeral storage, devices, claims) and the spelling of unchanged quantities are preserved.
function resourcesOf(raw: Wire, now: RequestsAndLimits, to: RequestsAndLimits): Wire {
  const requests = listOf(objectAt(raw, 'requests'), now.requests, to.requests);
  const limits = listOf(objectAt(raw, 'limits'), now.limits, to.limits);
  const { requests: _requests, limits: _limits, ...rest } = raw;
  return { ...rest, ...(isEmpty(requests) ? {} : { requests }), ...(isEmpty(limits) ? {} : { limits }) };
}

function listOf(raw: Wire, now: OptionalResources, to: OptionalResources): Wire {
  const { cpu, memory, ...rest } = raw;
  const list: Record<string, unknown> = { ...rest };
  if (to.cpuMillicores !== null) list['cpu'] = to.cpuMillicores === now.cpuMillicores ? cpu : formatCpu(to.cpuMillicores);
  if (to.memoryBytes !== null) list['memory'] = to.memoryBytes === now.memoryBytes ? memory : formatMemory(to.memoryBytes);
  return list;
}

function isEmpty(list: Wire): boolean {
  return Object.keys(list).length === 0;
}

function isSameSize(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return isSameResources(a.requests, b.requests) && isSameResources(a.limits, b.limits);
}
