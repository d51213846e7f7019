// The resize subresource: CPU and memory of what runs, in place.
// https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/

import type { FieldError } from '../../api/api-error.ts';
import { sameJson } from '../../actors/canonical.ts';
import type { Pod, PodSpec, ResourceList, WireContainer } from '../../actors/wire/pod.ts';
import { sameAmount } from '../amounts.ts';
import { forbiddenField, invalidValue } from '../field-errors.ts';
import type { PlacedContainer } from './pod-containers.ts';
import { isSidecar, placedContainers } from './pod-containers.ts';
import { resourceErrors } from './pod-validation.ts';
import { qosClassOf } from './qos-class.ts';

const RESIZABLE: ReadonlySet<string> = new Set(['cpu', 'memory']);
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * Puts back everything but the containers' resources and resize policies, which are then held against the rules. Where
 * the containers are not those of the pod they stay as given, for the schema and `resizeErrors` to refuse.
 */
export function keepOnlyResize(draft: Pod, old: Pod): void {
  const spec = structuredClone(old.spec);
  const given = containersByName(draft.spec);
  if (given === null || !sameNames(given, containersByName(old.spec))) {
    const { containers, initContainers } = draft.spec;
    draft.spec = { ...spec, containers, ...(initContainers === undefined ? {} : { initContainers }) };
    return;
  }
  for (const { container, isInit } of placedContainers(spec)) {
    const from = given.get(placeOf(container, isInit));
    if (from === undefined) continue;
    if (from.resources !== undefined) container.resources = from.resources;
    else delete container.resources;
    if (from.resizePolicy !== undefined) container.resizePolicy = from.resizePolicy;
  }
  draft.spec = spec;
}

function placeOf(container: WireContainer, isInit: boolean): string {
  return `${isInit ? 'initContainers' : 'containers'}/${container.name}`;
}

/** null where a list of containers is none. */
function containersByName(spec: PodSpec): ReadonlyMap<string, WireContainer> | null {
  const lists: readonly unknown[] = [spec.containers, spec.initContainers ?? []];
  const placed = placedContainers(spec);
  if (!lists.every((list) => Array.isArray(list)) || lists.flat().length !== placed.length) return null;
  return new Map(placed.map(({ container, isInit }) => [placeOf(container, isInit), container]));
}

function sameNames(a: ReadonlyMap<string, WireContainer> | null, b: ReadonlyMap<string, WireContainer> | null): boolean {
  return a !== null && b !== null && a.size === b.size && [...a.keys()].every((name) => b.has(name));
}

export function resizeErrors(pod: Pod, old: Pod): FieldError[] {
  if (!sameNames(containersByName(pod.spec), containersByName(old.spec)))
    return [forbiddenField('spec.containers', 'a resize may not add, remove or rename containers')];
  if (old.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return [forbiddenField('spec', 'static pods cannot be resized')];
  if (old.spec.os?.name === 'windows') return [forbiddenField('spec', 'windows pods cannot be resized')];
  const before = placedContainers(old.spec);
  const errors = placedContainers(pod.spec).flatMap((placed, index) => {
    const from = before[index];
    return from === undefined ? [] : containerErrors(placed, from.container);
  });
  if (errors.length > 0) return errors;
  return qosErrors(pod.spec, old.spec);
}

function containerErrors({ path, container, isInit }: PlacedContainer, old: WireContainer): FieldError[] {
  if (!sameJson(container.resizePolicy ?? [], old.resizePolicy ?? [])) {
    return [forbiddenField(`${path}.resizePolicy`, 'a resize may not change it; it is fixed when the pod is created')];
  }
  const changed = !sameResources(container, old);
  if (isInit && !isSidecar(old) && changed) {
    return [forbiddenField(`${path}.resources`, 'resources of init containers can be changed only where restartPolicy is Always')];
  }
  return [
    ...removalErrors(container, old, path),
    ...otherResourceErrors(container, old, path),
    ...(changed ? resourceErrors(container, path) : []),
  ];
}

function removalErrors(container: WireContainer, old: WireContainer, path: string): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((side) =>
    [...RESIZABLE]
      .filter((resource) => old.resources?.[side]?.[resource] !== undefined && container.resources?.[side]?.[resource] === undefined)
      .map((resource) => forbiddenField(`${path}.resources.${side}.${resource}`, `resource ${side} cannot be removed`)),
  );
}

function otherResourceErrors(container: WireContainer, old: WireContainer, path: string): FieldError[] {
  const others = (list: ResourceList | undefined): [string, string][] =>
    Object.entries(list ?? {}).filter(([name]) => !RESIZABLE.has(name));
  const same = (['requests', 'limits'] as const).every((side) => {
    const now = others(container.resources?.[side]);
    const was = old.resources?.[side] ?? {};
    return now.length === others(was).length && now.every(([name, amount]) => sameAmount(amount, was[name]));
  });
  return same && sameJson(container.resources?.['claims' as never], old.resources?.['claims' as never])
    ? []
    : [forbiddenField(`${path}.resources`, 'only cpu and memory resources are mutable')];
}

function qosErrors(spec: PodSpec, old: PodSpec): FieldError[] {
  const qosClass = qosClassOf(spec);
  const was = qosClassOf(old);
  return qosClass === was ? [] : [invalidValue('spec', qosClass, `Pod QOS Class may not change as a result of resizing (it is ${was})`)];
}

function sameResources(a: WireContainer, b: WireContainer): boolean {
  return (['requests', 'limits'] as const).every((side) => {
    const left = a.resources?.[side] ?? {};
    const right = b.resources?.[side] ?? {};
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => sameAmount(left[name], right[name]));
  });
}
