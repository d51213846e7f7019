import { isObject } from '#kube/json';
import type { AccessAttributes } from '../access/authorization.ts';
import { badRequest, conflict } from '../api-error.ts';
import { optionsInvalid, unsupported } from '../requests/option-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import type { ServedResource } from '../resources/served-resources.ts';

type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** User and options of a write. */
export interface WriteRequest {
  readonly user: string;
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
  /**
   * A component of the embedded cluster. Its writes use strategies and admission like any other, but its status writes skip the schema, and
   * its managed fields are recorded as one entry without the fields (see `managed-fields.ts`).
   */
  readonly trusted: boolean;
  /** Paths of duplicate fields in the body. */
  readonly duplicateFields?: readonly string[];
  /** Whether the user may do something else too. Absent for components, which may do everything. */
  readonly isAllowed?: (attributes: AccessAttributes) => boolean;
}

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagation?: Propagation;
  readonly preconditions?: Preconditions;
}

/** The fields of a resource that an error names. */
interface Named {
  readonly descriptor: Pick<ServedResource['descriptor'], 'group' | 'kind' | 'plural'>;
}

/** Resource and name of an error. */
export function subjectOf(resource: Named, name: string): { group: string; kind: string; plural: string; name: string } {
  const { group, kind, plural } = resource.descriptor;
  return { group, kind, plural, name };
}

/** Throws ApiStatusError 409 when the object is another one than the preconditions require. */
export function checkPreconditions(resource: Named, object: KubeObject, preconditions: Preconditions | undefined): void {
  if (preconditions === undefined) return;
  const { name, uid, resourceVersion } = object.metadata;
  const wanted = preconditions;
  // The error has the kind, where every other error has the resource.
  const of = { ...subjectOf(resource, name), plural: resource.descriptor.kind };
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const why = `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(of, why);
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(of, why);
  }
}

const PROPAGATIONS: readonly Propagation[] = ['Background', 'Foreground', 'Orphan'];

/**
 * Options of a DELETE: from its body, or from its query when there is no body. With a body the query is ignored, even `dryRun`. Throws
 * ApiStatusError 400 and 422 for invalid values.
 */
export function readDeleteOptions(body: unknown, asked: Readonly<Record<string, string | undefined>>): DeleteOptions & { dryRun: boolean } {
  const query = body === undefined || body === null ? asked : {};
  const given = recordOf(body, 'the request body must be a DeleteOptions object');
  const kind = given['kind'] ?? 'DeleteOptions';
  if (kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(given['apiVersion'])} in scheme "embedded cluster"`,
    );
  const preconditions = recordOf(given['preconditions'], 'preconditions: must be an object');
  const gracePeriodSeconds = readGrace(given['gracePeriodSeconds'] ?? query['gracePeriodSeconds']);
  const propagation = readPropagation(given['propagationPolicy'] ?? query['propagationPolicy'] ?? orphanPolicy(given['orphanDependents']));
  if (typeof given['orphanDependents'] === 'boolean' && propagation !== undefined && given['propagationPolicy'] !== undefined) {
    const message = `Invalid value: ${JSON.stringify(propagation)}: orphanDependents and deletionPropagation cannot be both set`;
    throw optionsInvalid('DeleteOptions', [{ field: 'propagationPolicy', type: 'FieldValueInvalid', message }]);
  }
  const dryRun = given['dryRun'] ?? [query['dryRun']];
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagation === undefined ? {} : { propagation }),
    preconditions,
    dryRun: Array.isArray(dryRun) && dryRun.includes('All'),
  };
}

function recordOf(given: unknown, otherwise: string): Record<string, unknown> {
  if (given === undefined || given === null) return {};
  if (!isObject(given)) throw badRequest(otherwise);
  return given;
}

/** A number in a body, digits in a query. */
function readGrace(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined;
  const seconds = typeof given === 'string' ? Number(given) : given;
  if (typeof seconds === 'number' && Number.isInteger(seconds)) return seconds;
  throw badRequest('gracePeriodSeconds: must be an integer');
}

function readPropagation(given: unknown): Propagation | undefined {
  if (given === undefined || given === null) return undefined;
  const policy = PROPAGATIONS.find((known) => known === given);
  if (policy !== undefined) return policy;
  throw optionsInvalid('DeleteOptions', [unsupported('propagationPolicy', given, ['Foreground', 'Background', 'Orphan', 'nil'])]);
}

/** The field that propagationPolicy replaced; kubectl still sends it for `--cascade` on old servers. */
function orphanPolicy(orphanDependents: unknown): Propagation | undefined {
  if (typeof orphanDependents !== 'boolean') return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}
