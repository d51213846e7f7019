// Field managers of Evenkeel, and which of its annotations an uninstall removes.

import {
  CLAIM_ANNOTATIONS,
  HPA_ANNOTATIONS,
  NODE_ANNOTATIONS,
  OBJECT_ANNOTATIONS,
  PREFIX,
  WORKLOAD_ANNOTATIONS,
} from '../../apis/annotations.ts';
import { ownersOfAnnotation, type ManagedFieldsEntry } from './field-owners.ts';

/** Manager of effects: changes to running workloads. */
export const EFFECTS_MANAGER = 'evenkeel-controller';
/** Manager of `evenkeel uninstall`, which restores original values. */
export const UNINSTALL_MANAGER = 'evenkeel-uninstall';

/** Managers of Evenkeel's own writes. `evenkeel-dashboard` is not one of them: it writes user requests. */
const EVENKEEL_MANAGERS: ReadonlySet<string> = new Set([
  'evenkeel',
  EFFECTS_MANAGER,
  'evenkeel-recommendation',
  'evenkeel-podresizepolicy',
  'evenkeel-autoscaler',
  UNINSTALL_MANAGER,
]);

/**
 * The API server merges the oldest entries of an object with many managers under this name, which loses their managers.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/
 */
export const MERGED_MANAGER = 'ancient-changes';

/** Annotations that only Evenkeel writes: without an entry in the managed fields they still count as Evenkeel's. */
const RECORDS: ReadonlySet<string> = new Set([
  WORKLOAD_ANNOTATIONS.resized,
  WORKLOAD_ANNOTATIONS.idle,
  HPA_ANNOTATIONS.original,
  CLAIM_ANNOTATIONS.storageException,
  NODE_ANNOTATIONS.drainingBy,
  OBJECT_ANNOTATIONS.trigger,
]);

/** Whether a field manager is Evenkeel's. */
export function isEvenkeelManager(manager: string): boolean {
  return EVENKEEL_MANAGERS.has(manager);
}

/** What an uninstall does with an annotation. */
export type AnnotationVerdict =
  | { readonly kind: 'foreign' }
  | { readonly kind: 'remove' }
  /** A user request under Evenkeel's prefix. */
  | { readonly kind: 'keep'; readonly writtenBy: string };

/** Removes annotations that Evenkeel alone wrote. Those with another manager are user requests and stay for a later installation. */
export function judgeAnnotation(key: string, entries: readonly ManagedFieldsEntry[]): AnnotationVerdict {
  if (!key.startsWith(PREFIX)) return { kind: 'foreign' };
  const owners = ownersOfAnnotation(entries, key).map(({ manager }) => manager);
  if (owners.length === 0) return isRecord(key) ? { kind: 'remove' } : { kind: 'keep', writtenBy: 'an unknown manager' };
  const others = owners.filter((manager) => !isEvenkeelManager(manager) && !(isRecord(key) && manager === MERGED_MANAGER));
  return others.length === 0 ? { kind: 'remove' } : { kind: 'keep', writtenBy: others.join(', ') };
}

/** Whether only Evenkeel creates the annotation, even if another manager has copied it. */
export function isRecord(key: string): boolean {
  return RECORDS.has(key);
}
