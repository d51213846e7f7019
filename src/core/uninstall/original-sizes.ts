// What a pod asked for when it was created, from its template, and which of its numbers are Evenkeel's to put back.

import { POD_ANNOTATIONS } from '../../apis/annotations.ts';
import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { withDefaults, UNSET_RESOURCES, type OptionalResources, type RequestsAndLimits, type ResourceName } from '#kube/records/resources';
import { FIELD, RESOURCES, withAmount, type Values } from '../resize/model/container-values.ts';
import { fitPod } from '../resize/plan/pod-change.ts';
import type { ContainerChange } from '../resize/model/resize-step.ts';
import { EFFECTS_MANAGER, isOwnManager, MERGED_MANAGER } from '../model/field-managers.ts';
import { ownersOfResource, type ManagedFieldsEntry, type ResourceField } from '../model/field-owners.ts';

/** What a LimitRange gives a container that asks for nothing. */
export interface SizeDefaults {
  readonly requests: OptionalResources;
  readonly limits: OptionalResources;
}

export interface SizedPod {
  readonly pod: PodRecord;
  readonly managedFields: readonly ManagedFieldsEntry[];
  /** As it was created; null where its template is gone or not known. */
  readonly original: Values | null;
  /** Values that Evenkeel remembers to have given, for objects whose record of writers was merged. */
  readonly remembered: readonly Values[];
  readonly kubeletVersion: string;
}

/** What is to become of one pod's sizes. */
export interface SizesVerdict {
  /** Empty: nothing to put back. */
  readonly changes: readonly ContainerChange[];
  /** What Evenkeel set and cannot be restored in place, with the reason. */
  readonly kept: readonly string[];
  /** What differs from the template because another writer resized the pod, as a message. */
  readonly foreign: readonly string[];
}

/**
 * As the API server would have made it: a request that is missing beside a limit equals it, then LimitRanges fill in.
 * https://kubernetes.io/docs/concepts/policy/limit-range/
 */
export function sizesAtCreation(template: RequestsAndLimits, defaults: readonly SizeDefaults[]): RequestsAndLimits {
  let { requests, limits } = template;
  requests = withDefaults(requests, limits);
  for (const each of defaults) {
    requests = withDefaults(requests, each.requests);
    limits = withDefaults(limits, each.limits);
  }
  return { requests, limits };
}

/** Puts back only what this product set last. Whatever in-place resize cannot do is kept, and said. */
export function sizesToRestore(sized: SizedPod): SizesVerdict {
  const { pod, original, kubeletVersion } = sized;
  const kept: string[] = [];
  const foreign: string[] = [];
  const wanted = new Map<string, RequestsAndLimits>();
  let ours = 0;
  for (const container of pod.containers) {
    const created = original?.get(container.name);
    let values: RequestsAndLimits = { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };
    for (const field of fieldsOf(container)) {
      const now = amountOf(container, field);
      const before = created === undefined ? null : amountOf(created, field);
      if (now === before && created !== undefined) continue;
      const owner = ownerOf(sized, field, now);
      if (owner.kind === 'foreign') foreign.push(`${wordsFor(field)} was set by ${owner.manager}`);
      if (owner.kind !== 'ours') continue;
      ours += 1;
      if (before === null) kept.push(`${wordsFor(field)}: ${whyUnknown(original, created)}`);
      else values = { ...values, [field.side]: withAmount(values[field.side], field.resource, before) };
    }
    wanted.set(container.name, values);
  }
  if (ours === 0) return { changes: [], kept, foreign };
  const fit = fitPod(pod, wanted, kubeletVersion);
  switch (fit.kind) {
    case 'change':
      return { changes: fit.containers, kept, foreign };
    case 'restart':
      return { changes: [], kept: [...kept, fit.message], foreign };
    case 'fits':
      return {
        changes: [],
        kept: kept.length > 0 ? kept : [`a kubelet ${kubeletVersion || 'of unknown version'} cannot put it back in place`],
        foreign,
      };
  }
}

/** Whether any entry is worth a closer look: most pods of a cluster were never resized. */
export function mayHoldOurSizes(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.some(({ manager, subresource }) => isOurs(manager) || manager === MERGED_MANAGER || subresource === 'resize');
}

type FieldOwner = { readonly kind: 'ours' } | { readonly kind: 'creation' } | { readonly kind: 'foreign'; readonly manager: string };

function ownerOf({ pod, managedFields, remembered }: SizedPod, field: ResourceField, now: number | null): FieldOwner {
  const owners = ownersOfResource(managedFields, field);
  if (owners.some(({ manager }) => isOurs(manager))) return { kind: 'ours' };
  const merged = owners.some(({ manager }) => manager === MERGED_MANAGER);
  if (merged && remembered.some((values) => rememberedAmount(values, field) === now)) return { kind: 'ours' };
  const other = owners.find(({ manager, subresource }) => subresource === 'resize' && !isOwnManager(manager));
  if (other !== undefined) return { kind: 'foreign', manager: other.manager };
  // Admission is no field manager: what it sets is owned by the creator of the pod.
  const putBack = owners.some(({ manager }) => isOwnManager(manager));
  return pod.annotations[POD_ANNOTATIONS.sizeAtCreation] === undefined || putBack ? { kind: 'creation' } : { kind: 'ours' };
}

// What an uninstall itself has put there was the original then; that it no longer is (another template) is not ours to judge.
function isOurs(manager: string): boolean {
  return manager === EFFECTS_MANAGER;
}

function rememberedAmount(values: Values, field: ResourceField): number | null {
  const container = values.get(field.container);
  return container === undefined ? null : amountOf(container, field);
}

function amountOf(values: RequestsAndLimits, { side, resource }: ResourceField): number | null {
  return values[side][FIELD[resource]];
}

function fieldsOf({ name, sidecar }: ContainerRecord): readonly ResourceField[] {
  return RESOURCES.flatMap((resource) => (['requests', 'limits'] as const).map((side) => ({ container: name, sidecar, side, resource })));
}

function wordsFor({
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

function whyUnknown(original: Values | null, created: RequestsAndLimits | undefined): string {
  if (original === null) return 'the template it was made from is gone or may not be read; a pod made anew has its own sizes';
  if (created === undefined) return 'its container is not in the template (injected); a pod made anew has its own sizes';
  return 'the template asks for none, and what a pod has cannot be removed in place; a pod made anew has none';
}
