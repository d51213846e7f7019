// Sizes of a pod at its creation, from its template, and which of its current values Evenkeel set and can restore.

import { POD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { withDefaults, UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits, type ResourceName } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../resize/model/container-values.ts';
import { fitPod } from '../resize/plan/pod/pod-change.ts';
import type { ContainerChange } from '../resize/model/resize-step.ts';
import { EFFECTS_MANAGER, isEvenkeelManager, MERGED_MANAGER } from '../model/field-managers.ts';
import { ownersOfResource, type ManagedFieldsEntry, type ResourceField } from '../model/field-owners.ts';

/** Defaults of a LimitRange for a container. */
export interface SizeDefaults {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

/** A pod with what is needed to restore it. */
export interface SizedPod {
  readonly pod: PodRecord;
  readonly managedFields: readonly ManagedFieldsEntry[];
  /** Sizes at creation by container; null: its template is gone or unknown. */
  readonly original: Values | null;
  /** Values that Evenkeel recorded, for pods whose managed fields were merged. */
  readonly remembered: readonly Values[];
  readonly kubeletVersion: string;
}

/** What uninstall does with the sizes of a pod. */
export interface SizesVerdict {
  /** Empty: nothing to restore. */
  readonly changes: readonly ContainerChange[];
  /** Messages about values of Evenkeel that cannot be restored in place. */
  readonly kept: readonly string[];
  /** Messages about values of other managers that differ from the template. */
  readonly foreign: readonly string[];
}

/**
 * Sizes that the API server gives a container of a template: an absent request equals its limit, then LimitRange defaults apply.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export function sizesAtCreation(template: RequestsAndLimits, defaults: readonly SizeDefaults[]): RequestsAndLimits {
  let { requests, limits } = template;
  requests = withDefaults(requests, limits);
  for (const range of defaults) {
    requests = withDefaults(requests, range.requests);
    limits = withDefaults(limits, range.limits);
  }
  return { requests, limits };
}

/** Restores only values that Evenkeel set last. Values that an in-place resize cannot restore are kept and reported. */
export function sizesToRestore(sized: SizedPod): SizesVerdict {
  const { pod, original, kubeletVersion } = sized;
  const kept: string[] = [];
  const foreign: string[] = [];
  const targetSizes = new Map<string, RequestsAndLimits>();
  let ours = 0;
  for (const container of pod.containers) {
    const created = original?.get(container.name);
    let values: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };
    for (const field of fieldsOf(container)) {
      const now = amountOf(container, field);
      const before = created === undefined ? null : amountOf(created, field);
      if (now === before && created !== undefined) continue;
      const owner = ownerOf(sized, field, now);
      if (owner.kind === 'foreign') foreign.push(`${describeField(field)} was set by ${owner.manager}`);
      if (owner.kind !== 'ours') continue;
      ours += 1;
      if (before === null) kept.push(`${describeField(field)}: ${explainMissing(original, created)}`);
      else values = { ...values, [field.side]: withAmount(values[field.side], field.resource, before) };
    }
    targetSizes.set(container.name, values);
  }
  if (ours === 0) return { changes: [], kept, foreign };
  const fit = fitPod(pod, targetSizes, kubeletVersion);
  switch (fit.kind) {
    case 'change':
      return { changes: fit.containers, kept, foreign };
    case 'restart':
      return { changes: [], kept: [...kept, fit.message], foreign };
    case 'fits':
      return {
        changes: [],
        kept: kept.length > 0 ? kept : [`a kubelet ${kubeletVersion || 'of unknown version'} cannot restore it in place`],
        foreign,
      };
  }
}

/** Whether the pod may have been resized by Evenkeel; a cheap check that excludes most pods. */
export function canBeResized(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.some(({ manager, subresource }) => isOurs(manager) || manager === MERGED_MANAGER || subresource === 'resize');
}

type FieldOwner = { readonly kind: 'ours' } | { readonly kind: 'creation' } | { readonly kind: 'foreign'; readonly manager: string };

function ownerOf({ pod, managedFields, remembered }: SizedPod, field: ResourceField, now: number | null): FieldOwner {
  const owners = ownersOfResource(managedFields, field);
  if (owners.some(({ manager }) => isOurs(manager))) return { kind: 'ours' };
  const merged = owners.some(({ manager }) => manager === MERGED_MANAGER);
  if (merged && remembered.some((values) => recordedAmount(values, field) === now)) return { kind: 'ours' };
  const other = owners.find(({ manager, subresource }) => subresource === 'resize' && !isEvenkeelManager(manager));
  if (other !== undefined) return { kind: 'foreign', manager: other.manager };
  // Admission is no field manager: its values are owned by the creator of the pod.
  const isRestored = owners.some(({ manager }) => isEvenkeelManager(manager));
  return pod.annotations[POD_ANNOTATIONS.sizeAtCreation] === undefined || isRestored ? { kind: 'creation' } : { kind: 'ours' };
}

// Values of an uninstall were the originals then. They stay, also after a change of the template.
function isOurs(manager: string): boolean {
  return manager === EFFECTS_MANAGER;
}

function recordedAmount(values: Values, field: ResourceField): number | null {
  const container = values.get(field.container);
  return container === undefined ? null : amountOf(container, field);
}

function amountOf(values: RequestsAndLimits, { side, resource }: ResourceField): number | null {
  return values[side][FIELD[resource]];
}

function fieldsOf({ name, sidecar }: ContainerRecord): readonly ResourceField[] {
  return RESOURCES.flatMap((resource) => (['requests', 'limits'] as const).map((side) => ({ container: name, sidecar, side, resource })));
}

function describeField({
  container,
  side,
  resource,
}: {
  readonly container: string;
  readonly side: string;
  readonly resource: ResourceName;
}): string {
  return `${container} ${resource}${side === 'limits' ? ' limit' : ''}`;
}

function explainMissing(original: Values | null, created: RequestsAndLimits | undefined): string {
  if (original === null) return 'its template is gone or cannot be read; a new pod has the sizes of its template';
  if (created === undefined) return 'its container is not in the template (injected); a new pod has its original sizes';
  return 'the template has no value, and the value of a pod cannot be removed in place; a new pod has none';
}
