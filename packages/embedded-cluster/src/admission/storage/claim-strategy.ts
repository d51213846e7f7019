import { isObject } from '#kube/json';
import type { FieldError } from '../../api/api-error.ts';
import type { ResourceStrategy } from '../../api/strategy.ts';
import { isEqualJson } from '../../api/json.ts';
import type { Claim, StorageClass } from '../../controllers/wire/storage.ts';
import { amountOf } from '../amounts.ts';
import { forbiddenField, invalidValue, required } from '../field-errors.ts';
import { checkClaimLimits } from '../limit-range.ts';

const CLASSES = 'storageclasses.storage.k8s.io';
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const claimStrategy: ResourceStrategy = {
  prepareForCreate(draft, { cluster }) {
    draft['status'] = { phase: 'Pending' };
    if (!isObject(draft['spec'])) return;
    const { spec } = draft as Claim;
    const defaults = cluster.list(CLASSES).filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true');
    // Of several default classes, the newest.
    const youngest = [...defaults].sort((a, b) => b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp))[0];
    if (spec.storageClassName === undefined && youngest !== undefined) spec.storageClassName = youngest.metadata.name;
  },

  validate(object, old, { cluster }, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const { spec } = object as Claim;
    const errors: FieldError[] = [];
    const storage = amountOf(spec.resources?.requests, 'storage');
    if ((spec.accessModes ?? []).length === 0) errors.push(required('spec.accessModes', 'at least 1 access mode is required'));
    if (storage === undefined) errors.push(required('spec.resources[storage]'));
    else if (storage.nano <= 0n)
      errors.push(invalidValue('spec.resources[storage]', spec.resources?.requests?.['storage'], 'must be greater than zero'));
    return old === null ? errors : [...errors, ...changeErrors(object as Claim, old as Claim, classOf(spec, cluster))];
  },

  admit(object, old, context, subresource) {
    if (subresource === '' && (old === null || !isEqualJson(object['spec'], old['spec']))) checkClaimLimits(object, context);
  },
};

function classOf(
  { storageClassName }: Claim['spec'],
  cluster: Parameters<NonNullable<ResourceStrategy['admit']>>[2]['cluster'],
): StorageClass | undefined {
  return storageClassName === undefined ? undefined : (cluster.get(CLASSES, null, storageClassName) as StorageClass | undefined);
}

/** A claim may be expanded when its class allows it, and is bound once; its other fields are immutable. */
function changeErrors(claim: Claim, old: Claim, storageClass: StorageClass | undefined): FieldError[] {
  if (!isEqualJson(fixedPart(claim.spec, old), fixedPart(old.spec, old))) {
    const why = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    return [forbiddenField('spec', why)];
  }
  const was = amountOf(old.spec.resources?.requests, 'storage')?.nano ?? 0n;
  const is = amountOf(claim.spec.resources?.requests, 'storage')?.nano ?? 0n;
  return is === was ? [] : sizeErrors(claim, is < was ? is : null, was, storageClass);
}

/** The volume of an unbound claim may still be set. */
function fixedPart(spec: Claim['spec'], old: Claim): object {
  const { resources: _mayGrow, volumeName, ...rest } = spec;
  return (old.spec.volumeName ?? '') === '' ? rest : { ...rest, volumeName };
}

/** @param smaller the new size when it is lower: a failed expansion may be reverted */
function sizeErrors({ status }: Claim, smaller: bigint | null, was: bigint, storageClass: StorageClass | undefined): FieldError[] {
  const field = 'spec.resources.requests.storage';
  const capacity = amountOf(status?.capacity, 'storage')?.nano ?? was;
  if (smaller !== null && smaller < capacity) return [forbiddenField(field, 'field can not be less than status.capacity')];
  if (status?.phase !== 'Bound') return [forbiddenField('spec', 'only bound persistent volume claims can be expanded')];
  if (storageClass?.allowVolumeExpansion === true) return [];
  return [forbiddenField(field, 'the storage class of this claim does not allow its volumes to be expanded')];
}
