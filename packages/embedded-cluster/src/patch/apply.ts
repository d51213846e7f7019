import { ApiStatusError } from '../api/api-error.ts';
import { cloneJson, isEqualJson } from '../api/json.ts';
import type { KubeObject, ManagedFieldsEntry } from '../api/kube-object.ts';
import { canonicalise } from '../schema/defaults.ts';
import type { SchemaResolver, StructuralSchema } from '../schema/structural-schema.ts';
import { dereference } from '../schema/structural-schema.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmptySet, isSameSet, NO_FIELDS, pathsOf, sortedSet, union, withoutBranches } from './field-set.ts';
import { clientSideApplied, KUBECTL, withLastApplied } from './last-applied.ts';
import { OwnedFields, replaceEmptied, withoutEmptied } from './owned-fields.ts';
import { typingFaults } from './typing-faults.ts';

/** Manager of a write, and its subresource. */
interface FieldManager {
  readonly schema: StructuralSchema;
  readonly resolve: SchemaResolver;
  readonly manager: string;
  readonly apiVersion: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** '' for the main resource. */
  readonly subresource: string;
}

export interface ApplyRequest extends FieldManager {
  /** undefined: the object does not exist yet. */
  readonly live: KubeObject | undefined;
  readonly applied: KubeObject;
  readonly force: boolean;
  /** The resource has a status subresource, so that the main resource cannot set the status. Default: true. */
  readonly hasStatusSubresource?: boolean;
}

export interface UpdateRequest extends FieldManager {
  /** undefined: the object was created by this write. */
  readonly old: KubeObject | undefined;
  readonly object: KubeObject;
}

export interface ApplyConflict {
  /** Manager in kubectl's form: `"kubectl-client-side-apply" using apps/v1`. */
  readonly manager: string;
  /** `.spec.replicas`. */
  readonly field: string;
}

/** `nulls`: emptied maps or lists of the object, which are null. */
export type ApplyResult = { readonly object: KubeObject; readonly nulls?: boolean } | { readonly conflicts: readonly ApplyConflict[] };

const TEXT: StructuralSchema = { type: 'string' };
const OBJECT_META: StructuralSchema = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
/** Beyond this many entries the oldest updates are merged, as on the real server. */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

const STATUS_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Fields without an owner: the object's identity and fields of the server. */
const UNOWNED: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': Object.fromEntries(
    [
      'name',
      'namespace',
      'generateName',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'selfLink',
      'uid',
      'generation',
      'managedFields',
      'resourceVersion',
    ].map((name) => [`f:${name}`, {}]),
  ),
};

/**
 * Applies a configuration: the manager sets and owns its fields, and fields that the manager applied before and now omits are removed
 * unless another manager owns them. Changing a field of another manager is a conflict, unless forced. Neither argument is changed. Returns
 * `live` itself when nothing changes.
 */
export function serverSideApply(request: ApplyRequest): ApplyResult {
  const { resolve, live, manager, subresource } = request;
  const schema = withMetadata(request.schema, resolve);
  const fields = new OwnedFields(resolve);
  const applied = configurationOf(request, schema);
  const entries = live === undefined ? [] : entriesBeforeApply(fields, schema, request, live);
  const isOwn = (entry: ManagedFieldsEntry): boolean =>
    entry.operation === 'Apply' && entry.manager === manager && (entry.subresource ?? '') === subresource;
  const own = entries.find(isOwn);
  const others = entries.filter((entry) => !isOwn(entry));

  const bare = live === undefined ? undefined : withoutManagedFields(live);
  const named = fields.fieldsOf(schema, applied) ?? NO_FIELDS;
  const newSet = ownable(named);
  const merged = fields.merge(schema, bare, applied);
  const emptied = new Set<unknown>();
  const kept = own === undefined ? merged : dropAbandoned(fields, schema, merged, { last: setOf(own), others, named }, emptied);

  const found = fields.compare(schema, bare ?? emptyObject(request, applied), kept);
  const changed = union(found.added ?? NO_FIELDS, found.modified ?? NO_FIELDS);
  const conflicts = request.force ? [] : conflictsOf(request, schema, others, changed);
  if (conflicts.length > 0) return { conflicts };

  const remaining = others.flatMap((entry) => removeFields(entry, union(changed, found.removed ?? NO_FIELDS)));
  const mine = isEmptySet(newSet) ? [] : [entryOf(request, 'Apply', newSet, own)];
  const managedFields = sortEntries([...remaining, ...mine]);
  const left = leftOf(request.schema, kept as KubeObject, emptied);
  const object = manager === KUBECTL ? withLastApplied(left, request.applied) : left;
  if (live !== undefined && isEqualJson(bare, object) && isSameOwnership(live.metadata.managedFields ?? [], managedFields))
    return { object: live };
  return { object: { ...object, metadata: { ...object.metadata, managedFields } }, nulls: hasNulls(request.schema, emptied) };
}

/** The value without the fields that its applier dropped and no other manager owns. */
function dropAbandoned(
  fields: OwnedFields,
  schema: StructuralSchema,
  value: unknown,
  by: { readonly last: FieldSet; readonly others: readonly ManagedFieldsEntry[]; readonly named: FieldSet },
  emptied: Set<unknown>,
): unknown {
  // A controller mostly applies the same fields again.
  if (isSameSet(by.last, ownable(by.named))) return value;
  const managed = by.others.reduce((all, entry) => union(all, setOf(entry)), by.named);
  return fields.remove(schema, value, fields.findAbandonedFields(schema, by.last, managed), emptied);
}

/**
 * Stored value of an owned map or list that became empty. Built-in kinds omit it; custom resources have null, as on a real server, which
 * their schema then mostly refuses.
 */
function leftOf(schema: StructuralSchema, kept: KubeObject, emptied: ReadonlySet<unknown>): KubeObject {
  if (!isCustomSchema(schema)) return withoutEmptied(kept, emptied) as KubeObject;
  const { metadata, ...own } = kept;
  return { ...(replaceEmptied(own, emptied) as KubeObject), metadata: withoutEmptied(metadata, emptied) as KubeObject['metadata'] };
}

function hasNulls(schema: StructuralSchema, emptied: ReadonlySet<unknown>): boolean {
  return emptied.size > 0 && isCustomSchema(schema);
}

/** Schemas of built-in kinds have names. */
function isCustomSchema(schema: StructuralSchema): boolean {
  return schema.$ref === undefined;
}

/** Errors that prevent an apply. */
export function applyFaults(schema: StructuralSchema, applied: KubeObject, resolve: SchemaResolver): string[] {
  const root = withMetadata(schema, resolve);
  // A custom resource need not declare them.
  const properties = { apiVersion: TEXT, kind: TEXT, ...root.properties };
  return typingFaults({ ...root, properties }, applied, resolve);
}

/** Entries of `object` after an update by the manager turned `old` into it. */
export function trackUpdate(request: UpdateRequest): ManagedFieldsEntry[] {
  const { resolve, old, object, manager, apiVersion, subresource } = request;
  const schema = withMetadata(request.schema, resolve);
  const entries = entriesBeforeUpdate(request);
  const found = new OwnedFields(resolve).compare(schema, old ?? emptyObject(request, object), object);
  const changed = ownable(union(found.added ?? NO_FIELDS, found.modified ?? NO_FIELDS));
  const removed = found.removed ?? NO_FIELDS;
  if (isEmptySet(changed) && isEmptySet(removed)) return entries;

  const isOwn = (entry: ManagedFieldsEntry): boolean =>
    entry.operation === 'Update' &&
    entry.manager === manager &&
    entry.apiVersion === apiVersion &&
    (entry.subresource ?? '') === subresource;
  const own = entries.find(isOwn);
  const gone = union(changed, removed);
  const remaining = entries.filter((entry) => !isOwn(entry)).flatMap((entry) => removeFields(entry, gone));
  const newSet = union(difference(own === undefined ? NO_FIELDS : setOf(own), removed), changed);
  const mine = isEmptySet(newSet) ? [] : [entryOf(request, 'Update', newSet, own)];
  return joinAncient(sortEntries([...remaining, ...mine]));
}

/** The conflict error that kubectl shows: every field and its manager. */
export function applyConflictError(conflicts: readonly ApplyConflict[]): ApiStatusError {
  const causes = conflicts.map(({ manager, field }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field }));
  return new ApiStatusError(409, 'Conflict', conflictWords(conflicts), { causes });
}

function conflictWords(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  const byManager = Map.groupBy(conflicts, (conflict) => conflict.manager);
  const parts = [...byManager]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([manager, fields]) => `conflicts with ${manager}:\n${fields.map(({ field }) => `- ${field}`).join('\n')}`);
  return `Apply failed with ${conflicts.length} conflicts: ${parts.join('\n')}`;
}

/** Fields of client-side apply, which kubectl may take over without force. */
function conflictsOf(
  request: ApplyRequest,
  schema: StructuralSchema,
  others: readonly ManagedFieldsEntry[],
  changed: FieldSet,
): ApplyConflict[] {
  const conflicts = conflictsWith(others, changed);
  if (conflicts.length === 0 || request.manager !== KUBECTL || request.live === undefined) return conflicts;
  return conflictsWith(others, difference(changed, clientSideApplied(schema, request.live, request.resolve)));
}

function conflictsWith(others: readonly ManagedFieldsEntry[], changed: FieldSet): ApplyConflict[] {
  return others.flatMap((entry) => {
    const manager = printManager(entry);
    return pathsOf(intersection(setOf(entry), changed)).map((field) => ({ manager, field }));
  });
}

function printManager(entry: ManagedFieldsEntry): string {
  const by = entry.subresource === undefined || entry.subresource === '' ? '' : ` with subresource "${entry.subresource}"`;
  return `"${entry.manager}"${by}${entry.operation === 'Update' ? ` using ${entry.apiVersion}` : ''}`;
}

/** The relevant part of the applied object: in stored form, and only fields that this subresource may set. */
function configurationOf(request: ApplyRequest, schema: StructuralSchema): KubeObject {
  const applied = cloneJson(request.applied);
  delete applied.metadata.managedFields;
  if (request.subresource === 'status') {
    for (const field of Object.keys(applied))
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- fields that this way in may not set
      if (!STATUS_FIELDS.has(field)) delete applied[field];
    const { name, namespace } = applied.metadata;
    applied.metadata = { name, ...(namespace === undefined ? {} : { namespace }) } as KubeObject['metadata'];
  } else if (request.hasStatusSubresource !== false) delete applied['status'];
  canonicalise(schema, applied, request.resolve);
  return applied;
}

/** An object without managed fields belongs, in its current state, to the manager `before-first-apply`. */
function entriesBeforeApply(
  fields: OwnedFields,
  schema: StructuralSchema,
  request: ApplyRequest,
  live: KubeObject,
): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? [];
  if (entries.length > 0) return entries;
  const bare = withoutManagedFields(live);
  const set = ownable(fields.compare(schema, emptyObject(request, bare), bare).added ?? NO_FIELDS);
  if (isEmptySet(set)) return [];
  return [entryOf({ ...request, manager: 'before-first-apply', subresource: '' }, 'Update', set, undefined)];
}

/** A client may write the entries itself: kubectl does when it migrates an object to server-side apply. */
function entriesBeforeUpdate(request: UpdateRequest): ManagedFieldsEntry[] {
  const before = request.old?.metadata.managedFields ?? [];
  const given = request.object.metadata.managedFields ?? [];
  if (request.subresource !== '' || given.length === 0) return [...before];
  const isReset = given.some((entry) => !(entry as Partial<ManagedFieldsEntry>).operation);
  return isReset ? [] : [...given];
}

function withMetadata(schema: StructuralSchema, resolve: SchemaResolver): StructuralSchema {
  const root = dereference(schema, resolve);
  const metadata = root.properties?.['metadata'];
  // The schema of a custom resource declares its metadata only as an object.
  return metadata?.$ref === undefined ? { ...root, properties: { ...root.properties, metadata: OBJECT_META } } : root;
}

/** Comparison base of a new object: fields that always exist do not count as new. */
function emptyObject(by: FieldManager, object: KubeObject): Record<string, unknown> {
  const parts: Record<string, unknown> = { apiVersion: object.apiVersion, kind: object.kind, metadata: {} };
  const builtIn = by.schema.$ref !== undefined;
  if (builtIn) for (const part of ['spec', 'status']) if (object[part] !== undefined) parts[part] = {};
  return parts;
}

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function ownable(set: FieldSet): FieldSet {
  return withoutBranches(set, UNOWNED);
}

function setOf(entry: ManagedFieldsEntry): FieldSet {
  return entry.fieldsV1 as FieldSet;
}

function removeFields(entry: ManagedFieldsEntry, gone: FieldSet): ManagedFieldsEntry[] {
  const before = setOf(entry);
  const after = difference(before, gone);
  if (isSameSet(before, after)) return [entry];
  return isEmptySet(after) ? [] : [{ ...entry, fieldsV1: after }];
}

function entryOf(
  by: FieldManager,
  operation: 'Apply' | 'Update',
  set: FieldSet,
  previous: ManagedFieldsEntry | undefined,
): ManagedFieldsEntry {
  if (previous?.apiVersion === by.apiVersion && operation === 'Apply' && isSameSet(setOf(previous), set)) return previous;
  return {
    manager: by.manager,
    operation,
    apiVersion: by.apiVersion,
    time: by.time,
    fieldsType: 'FieldsV1',
    fieldsV1: sortedSet(set),
    ...(by.subresource === '' ? {} : { subresource: by.subresource }),
  };
}

function sortEntries(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const key = (entry: ManagedFieldsEntry): string =>
    [entry.operation, entry.time ?? '', entry.manager, entry.apiVersion, entry.subresource ?? ''].join('\n');
  return [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function joinAncient(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updates = entries.filter((entry) => entry.operation === 'Update');
  const surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return [...entries];
  // Entries are sorted by time; the merged one counts as one, so one more than the surplus is removed.
  const oldest = updates.slice(0, surplus + 1);
  const joined = oldest.reduce((all, entry) => union(all, setOf(entry)), NO_FIELDS);
  const last = oldest.at(-1);
  if (last === undefined) return [...entries];
  const { subresource: _, ...rest } = last;
  const ancient: ManagedFieldsEntry = { ...rest, manager: ANCIENT, fieldsV1: joined };
  return sortEntries([...entries.filter((entry) => !oldest.includes(entry)), ancient]);
}

function isSameOwnership(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  const untimed = (entries: readonly ManagedFieldsEntry[]): unknown => entries.map((entry) => ({ ...entry, time: '' }));
  return isEqualJson(untimed(a), untimed(b));
}
