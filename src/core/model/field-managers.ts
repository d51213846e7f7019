// Under which names Evenkeel writes, and which of its annotations an uninstall takes away.

import {
  CLAIM_ANNOTATIONS,
  HPA_ANNOTATIONS,
  NODE_ANNOTATIONS,
  OBJECT_ANNOTATIONS,
  PREFIX,
  WORKLOAD_ANNOTATIONS,
} from '../../apis/annotations.ts';
import { ownersOfAnnotation, type ManagedFieldsEntry } from './field-owners.ts';

/** Writes what changes what runs. */
export const EFFECTS_MANAGER = 'evenkeel-controller';
/** Puts it back. */
export const UNINSTALL_MANAGER = 'evenkeel-uninstall';

/** What these wrote, the product wrote for itself. `evenkeel-dashboard` is not among them: it writes what a person asked for. */
const OWN_MANAGERS: ReadonlySet<string> = new Set([
  'evenkeel',
  EFFECTS_MANAGER,
  'evenkeel-recommendation',
  'evenkeel-podresizepolicy',
  'evenkeel-autoscaler',
  UNINSTALL_MANAGER,
]);

/**
 * The API server merges the oldest entries of an object that many have written under this name: whose they were is lost.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export const MERGED_MANAGER = 'ancient-changes';

/** Annotations whose value only Evenkeel can make: without any record of who wrote one, it was us. */
const RECORDS: ReadonlySet<string> = new Set([
  WORKLOAD_ANNOTATIONS.resized,
  WORKLOAD_ANNOTATIONS.idle,
  HPA_ANNOTATIONS.original,
  CLAIM_ANNOTATIONS.storageException,
  NODE_ANNOTATIONS.drainingBy,
  OBJECT_ANNOTATIONS.trigger,
]);

export function isOwnManager(manager: string): boolean {
  return OWN_MANAGERS.has(manager);
}

/** What is to become of one annotation. */
export type AnnotationVerdict =
  | { readonly kind: 'foreign' }
  | { readonly kind: 'remove' }
  /** Under our prefix, and a person's word. */
  | { readonly kind: 'keep'; readonly writtenBy: string };

/** Ours to take away is what Evenkeel alone wrote; what a person (also) stated stays, for another installation to read. */
export function judgeAnnotation(key: string, entries: readonly ManagedFieldsEntry[]): AnnotationVerdict {
  if (!key.startsWith(PREFIX)) return { kind: 'foreign' };
  const owners = ownersOfAnnotation(entries, key).map(({ manager }) => manager);
  if (owners.length === 0) return isRecord(key) ? { kind: 'remove' } : { kind: 'keep', writtenBy: 'an unknown manager' };
  const others = owners.filter((manager) => !isOwnManager(manager) && !(isRecord(key) && manager === MERGED_MANAGER));
  return others.length === 0 ? { kind: 'remove' } : { kind: 'keep', writtenBy: others.join(', ') };
}

/** Whether only Evenkeel can have created it, even where another manager has copied it since. */
export function isRecord(key: string): boolean {
  return RECORDS.has(key);
}
