// The resize subresource: changes CPU and memory of running containers in place.
// https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/

import type { FieldError } from '../../api/api-error.ts';
import { isEqualJson } from '../../api/json.ts';
import type { Pod, PodSpec, ResourceList, WireContainer, WireResources } from '../../controllers/wire/pod.ts';
import { isSameAmount } from '../amounts.ts';
import { forbiddenField, invalidValue } from '../field-errors.ts';
import type { PlacedContainer } from './pod-containers.ts';
import { isSidecar, placedContainers } from './pod-containers.ts';
import { podSpecErrors } from './pod-validation.ts';
import { qosClassOf } from './qos-class.ts';

const RESIZABLE = ['cpu', 'memory'] as const;
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const LISTS = ['containers', 'initContainers'] as const;
const MUTABLE = 'only cpu and memory resources are mutable';

/**
 * Restores everything except the containers' resources and resize policies, which are then validated. When the containers differ from those
 * of the pod they are kept, so that `resizeErrors` refuses them.
 */
export function keepOnlyResize(draft: Pod, old: Pod): void {
  const spec = structuredClone(old.spec);
  for (const list of LISTS) {
    const given: unknown = draft.spec[list] ?? [];
    if (!Array.isArray(given) || !hasSameNames(given as WireContainer[], old.spec[list] ?? [])) {
      if (draft.spec[list] !== undefined) spec[list] = draft.spec[list];
      continue;
    }
    for (const [index, container] of (spec[list] ?? []).entries()) takeResize(container, given[index] as WireContainer);
  }
  put(spec, 'resources', draft.spec.resources);
  draft.spec = spec;
}

function takeResize(container: WireContainer, from: WireContainer): void {
  put(container, 'resources', from.resources);
  put(container, 'resizePolicy', from.resizePolicy);
}

function put<T extends object, K extends keyof T>(to: T, field: K, value: T[K] | undefined): void {
  if (value === undefined) Reflect.deleteProperty(to, field);
  else to[field] = value;
}

/** The same containers in the same order. */
function hasSameNames(a: readonly WireContainer[], b: readonly WireContainer[]): boolean {
  return a.length === b.length && a.every((container, index) => (container as WireContainer | null)?.name === b[index]?.name);
}

export function resizeErrors(pod: Pod, old: Pod): FieldError[] {
  if (old.metadata.annotations?.[MIRROR_ANNOTATION] !== undefined) return [forbiddenField('', 'static pods cannot be resized')];
  if (old.spec.os?.name === 'windows') return [forbiddenField('', 'windows pods cannot be resized')];
  const errors = [...podSpecErrors(pod.spec), ...qosErrors(pod, old), ...nodeErrors(old), ...podLevelErrors(pod.spec, old.spec)];
  const orderErrors = LISTS.flatMap((list) => containerOrderErrors(list, pod.spec[list] ?? [], old.spec[list] ?? []));
  if (orderErrors.length > 0) return [...errors, ...orderErrors];
  const before = placedContainers(old.spec);
  const pairs = placedContainers(pod.spec).flatMap((placed, index) => {
    const from = before[index]?.container;
    return from === undefined ? [] : [{ ...placed, from }];
  });
  return [...errors, ...pairs.flatMap(removalErrors), ...pairs.flatMap(otherChangeErrors)];
}

interface ResizedContainer extends PlacedContainer {
  readonly from: WireContainer;
}

function qosErrors(pod: Pod, old: Pod): FieldError[] {
  const was = qosClassOf(old.spec);
  return qosClassOf(pod.spec) === was ? [] : [invalidValue('spec', was, 'Pod QOS Class may not change as a result of resizing')];
}

/** A kubelet that does not report resources of running containers cannot resize them. */
function nodeErrors({ status }: Pod): FieldError[] {
  const running = (status.containerStatuses ?? []).find(({ state }) => state?.['running'] !== undefined);
  if (running === undefined || running.resources !== undefined) return [];
  return [forbiddenField('spec', 'Pod running on node without support for resize')];
}

function podLevelErrors({ resources }: PodSpec, { resources: old }: PodSpec): FieldError[] {
  if (old === undefined) return hasOtherThanResizable(resources, old) ? [forbiddenField('spec', `${MUTABLE} at pod-level`)] : [];
  if (resources === undefined) return [forbiddenField('spec.resources', 'pod-level resources cannot be removed')];
  const removed = (['requests', 'limits'] as const).filter((side) => isRemoved(resources[side], old[side]));
  return [
    ...removed.map((side) => forbiddenField(`spec.resources.${side}`, `pod-level resource ${side} cannot be removed`)),
    ...(hasOtherThanResizable(resources, old) ? [forbiddenField('spec', `${MUTABLE} at pod-level`)] : []),
  ];
}

function containerOrderErrors(list: string, now: readonly WireContainer[], before: readonly WireContainer[]): FieldError[] {
  if (now.length !== before.length) return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return now.flatMap(({ name }, index) =>
    name === before[index]?.name
      ? []
      : [forbiddenField(`spec.${list}[${String(index)}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

function removalErrors({ path, container, from }: ResizedContainer): FieldError[] {
  return (['requests', 'limits'] as const)
    .filter((side) => isRemoved(container.resources?.[side], from.resources?.[side]))
    .map((side) => forbiddenField(`${path}.resources.${side}`, `resource ${side} cannot be removed`));
}

function isRemoved(now: ResourceList = {}, before: ResourceList = {}): boolean {
  return Object.keys(before).some((resource) => now[resource] === undefined);
}

function otherChangeErrors({ path, container, isInit, from }: ResizedContainer): FieldError[] {
  const restarting = (container.resizePolicy ?? []).some(({ restartPolicy }) => restartPolicy === 'RestartContainer');
  const errors: FieldError[] = [];
  if (hasOtherThanResizable(container.resources, from.resources) || !isEqualJson(container.resizePolicy ?? [], from.resizePolicy ?? []))
    errors.push(
      isInit
        ? forbiddenField(path, 'only cpu and memory resources for init or sidecar containers are mutable')
        : forbiddenField('spec', MUTABLE),
    );
  if (isInit && !isSidecar(from) && restarting && !isEqualJson(container.resources, from.resources))
    errors.push(forbiddenField(path, 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized'));
  return errors;
}

/** Whether anything but CPU and memory differs. */
function hasOtherThanResizable(now: WireResources | undefined, before: WireResources | undefined): boolean {
  const others = (list: ResourceList | undefined): [string, string][] =>
    Object.entries(list ?? {}).filter(([name]) => !RESIZABLE.some((resizable) => resizable === name));
  const isSame = (['requests', 'limits'] as const).every((side) => {
    const left = others(now?.[side]);
    const right = before?.[side] ?? {};
    return left.length === others(right).length && left.every(([name, amount]) => isSameAmount(amount, right[name]));
  });
  return !isSame || !isEqualJson(now?.['claims' as never], before?.['claims' as never]);
}
