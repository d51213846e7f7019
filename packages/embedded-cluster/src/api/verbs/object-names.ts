// Generated names, and the validation of the metadata that all objects share, with Kubernetes' messages.

import type { FieldError } from '../api-error.ts';
import { isEqualJson } from '../json.ts';
import type { KubeObject, ObjectMeta } from '../kube-object.ts';
import { labelErrors, nameFaults, qualifiedNameErrors } from './name-rules.ts';

const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** Characters of generated suffixes: no vowels, so that no words result. */
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_BASE_MAX_LENGTH = 58;

/** `web-` → `web-x7k2p`. `next` is uniform in [0, 1). */
export function generatedName(base: string, next: () => number): string {
  let name = base.slice(0, GENERATED_BASE_MAX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index++) name += SUFFIX_CHARACTERS.charAt(Math.floor(next() * SUFFIX_CHARACTERS.length));
  return name;
}

/** The fields of a resource that its metadata depends on. */
interface Named {
  readonly id: string;
  readonly custom: boolean;
}

/** All errors in the metadata of an object that is about to replace `old` (null: it is new). Unchanged parts were validated earlier. */
export function metadataErrors(resource: Named, { metadata }: KubeObject, old: KubeObject | null): FieldError[] {
  const isNew = old === null;
  const unlessKept = (field: 'labels' | 'annotations' | 'ownerReferences' | 'finalizers', check: () => FieldError[]): FieldError[] =>
    old !== null && isEqualJson(metadata[field], old.metadata[field]) ? NO_ERRORS : check();
  return [
    ...(isNew ? nameErrors(resource.id, metadata) : NO_ERRORS),
    ...unlessKept('labels', () => labelErrors('metadata.labels', metadata.labels)),
    ...unlessKept('annotations', () => annotationErrors(metadata.annotations)),
    ...unlessKept('ownerReferences', () => ownerErrors(metadata.ownerReferences)),
    ...unlessKept('finalizers', () => {
      const knownOnly = isNew && !resource.custom && !resource.id.endsWith('.apiextensions.k8s.io');
      return finalizerErrors(metadata.finalizers, knownOnly);
    }),
  ];
}

const NO_ERRORS: FieldError[] = [];

function nameErrors(id: string, { name, generateName = '' }: ObjectMeta): FieldError[] {
  if (name === '')
    return [{ field: 'metadata.name', type: 'FieldValueRequired', message: 'Required value: name or generateName is required' }];
  const generated = generateName !== '' ? nameFaults(id, withoutTrailingDash(generateName)) : [];
  return [
    ...generated.map((fault) => invalidValue('metadata.generateName', generateName, fault)),
    ...nameFaults(id, name).map((fault) => invalidValue('metadata.name', name, fault)),
  ];
}

/** A generated suffix may follow a dash. */
function withoutTrailingDash(base: string): string {
  return base.length > 1 && base.endsWith('-') ? `${base.slice(0, -2)}a` : base;
}

function annotationErrors(annotations: Readonly<Record<string, string>> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const key in annotations) {
    const value: unknown = annotations[key];
    errors.push(...qualifiedNameErrors('metadata.annotations', key.toLowerCase()));
    if (typeof value !== 'string') errors.push(invalidValue('metadata.annotations', value, 'must be a string', 'FieldValueTypeInvalid'));
    else size += key.length + value.length;
  }
  if (size > ANNOTATIONS_MAX_BYTES)
    errors.push({
      field: 'metadata.annotations',
      type: 'FieldValueTooLong',
      message: `Too long: may not be more than ${ANNOTATIONS_MAX_BYTES} bytes`,
    });
  return errors;
}

/** Finalizers without a domain that were allowed before domains became mandatory. */
const OLD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** @param knownOnly a finalizer without a domain must be one of Kubernetes */
function finalizerErrors(finalizers: readonly string[] = [], knownOnly: boolean): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((finalizer) => qualifiedNameErrors(field, finalizer));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  if (!knownOnly) return errors;
  for (const [index, finalizer] of finalizers.entries()) {
    if (finalizer.includes('/') || OLD_FINALIZERS.has(finalizer)) continue;
    errors.push(invalidValue(`${field}[${index}]`, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}

function ownerErrors(owners: ObjectMeta['ownerReferences'] = []): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors = owners.flatMap((owner) => ownerFaults(owner, field));
  const [first, second] = owners.filter(({ controller }) => controller === true).map(({ kind, name }) => `${kind}/${name}`);
  if (first !== undefined && second !== undefined) {
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
    errors.push(invalidValue(field, owners, why));
  }
  return errors;
}

function ownerFaults(owner: NonNullable<ObjectMeta['ownerReferences']>[number], field: string): FieldError[] {
  const words = { apiVersion: 'version must not be empty', kind: 'must not be empty', name: 'must not be empty', uid: 'must not be empty' };
  const errors = (['apiVersion', 'kind', 'name', 'uid'] as const)
    .filter((each) => typeof owner[each] !== 'string' || owner[each] === '')
    .map((each) => invalidValue(`${field}.${each}`, '', words[each]));
  if (owner.apiVersion === 'v1' && owner.kind === 'Event')
    errors.push(invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

function invalidValue(field: string, value: unknown, why: string, type: FieldError['type'] = 'FieldValueInvalid'): FieldError {
  return { field, type, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}
