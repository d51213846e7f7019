// Lists: consistent pages of one revision, which the store's history can reconstruct.

import { ApiStatusError, badRequest, type FieldError } from '../api-error.ts';
import { forbidden, optionsInvalid, unsupported } from '../requests/option-errors.ts';
import type { KubeObject } from '../kube-object.ts';
import { keyOf, type ObjectStore } from '../store/object-store.ts';
import type { Selection } from './selection/selection.ts';

export interface ListQuery {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  /** Used by watches only. */
  readonly sendInitialEvents?: boolean;
}

export interface ListPage {
  /** Stored version. */
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Start of the next page; absent on the last. */
  readonly continue?: string;
  /** Unknown when a selector is used. */
  readonly remainingItemCount?: number;
}

interface Position {
  /** -1: the latest revision (continuation after an expired token). */
  readonly revision: number;
  /** Key of the last object of the previous page. */
  readonly after: string;
}

const EXPIRED_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Throws ApiStatusError: 410 Expired, 504 for a future version, 400 and 422 for contradictory parameters. */
export function listObjects(store: ObjectStore, selection: Selection, query: ListQuery): ListPage {
  checkListQuery(query);
  const table = store.table(selection.resource.storageId);
  const at = query.continue === undefined || query.continue === '' ? startOf(store, query) : readToken(query.continue);
  const isPast = at.revision >= 0 && at.revision < store.revision;
  const revision = isPast ? at.revision : store.revision;
  const source = isPast ? table.listAt(revision, selection.namespace) : selection.candidates(table);
  if (source === null) throw expired(at);

  // The latest cached state is returned whole: a real server ignores the limit there.
  const limit = query.resourceVersion === '0' && at.after === '' ? 0 : (query.limit ?? 0);
  return pageOf(source, selection, at.after, limit, revision);
}

function pageOf(source: readonly KubeObject[], selection: Selection, after: string, limit: number, revision: number): ListPage {
  const page: KubeObject[] = [];
  for (const [index, object] of source.entries()) {
    if (after !== '' && keyOf(object) <= after) continue;
    if (!selection.isSelected(object)) continue;
    if (limit > 0 && page.length === limit) return continued(page, revision, selection.selective ? null : source.length - index);
    page.push(object);
  }
  return { items: page, resourceVersion: String(revision) };
}

/** A client that has seen a later version must wait; a real server returns the same error after a few seconds. */
export function tooLargeResourceVersion(wanted: number, current: number): ApiStatusError {
  return new ApiStatusError(504, 'Timeout', `Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });
}

/** Number of a version; undefined for an invalid text. */
export function parseResourceVersion(text: string): number | undefined {
  const version = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(version) ? version : undefined;
}

/** The API server's message wherever a version is parsed. */
export function notAVersion(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
}

function startOf(store: ObjectStore, query: ListQuery): Position {
  const { resourceVersion, resourceVersionMatch } = query;
  if (resourceVersion === undefined || resourceVersion === '') return { revision: -1, after: '' };
  const wanted = parseResourceVersion(resourceVersion);
  if (wanted === undefined) throw badRequest(`invalid resource version: ${notAVersion(resourceVersion)}`);
  if (wanted > store.revision) throw tooLargeResourceVersion(wanted, store.revision);
  // Any version at least as new is sufficient, unless an exact match is required.
  return { revision: resourceVersionMatch === 'Exact' ? wanted : -1, after: '' };
}

function checkListQuery(query: ListQuery): void {
  const { resourceVersion = '', resourceVersionMatch: match = '', continue: token = '' } = query;
  const errors = matchErrors(resourceVersion, match, token);
  if (query.sendInitialEvents !== undefined) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  if (errors.length > 0) throw optionsInvalid('ListOptions', errors);
  if (token !== '' && resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
}

function matchErrors(resourceVersion: string, match: string, token: string): FieldError[] {
  if (match === '') return [];
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (resourceVersion === '') errors.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (token !== '') errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(unsupported(field, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && resourceVersion === '0')
    errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

function continued(items: readonly KubeObject[], revision: number, remaining: number | null): ListPage {
  const last = items.at(-1);
  const token = writeToken({ revision, after: last === undefined ? '' : keyOf(last) });
  return { items, resourceVersion: String(revision), continue: token, ...(remaining === null ? {} : { remainingItemCount: remaining }) };
}

function writeToken(position: Position): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: position.revision, start: position.after })).toString('base64url');
}

function readToken(token: string): Position {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv?: unknown; start?: unknown };
    if (Number.isSafeInteger(rv) && typeof start === 'string') return { revision: rv as number, after: start };
  } catch {
    // Not a valid token; refused below.
  }
  throw badRequest('continue key is not valid');
}

function expired(at: Position): ApiStatusError {
  const message = at.after === '' ? `The resourceVersion for the provided list is too old.` : EXPIRED_TOKEN;
  const error = new ApiStatusError(410, 'Expired', message);
  if (at.after === '') return error;
  const goOn = writeToken({ revision: -1, after: at.after });
  return new ExpiredToken(error.message, goOn);
}

/** 410 with a token that continues from there without consistency. */
class ExpiredToken extends ApiStatusError {
  readonly #token: string;

  constructor(message: string, token: string) {
    super(410, 'Expired', message);
    this.#token = token;
  }

  override toStatus(): Record<string, unknown> {
    return { ...super.toStatus(), metadata: { continue: this.#token } };
  }
}
