import type { Access } from '../../application/index.ts';
import type { Schema } from './schema.ts';

/** A path or query parameter. Arrays are repeated (`?namespace=a&namespace=b`). */
export interface ParameterSpec {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** Content of a successful answer: the schema of `data`, or a body without an envelope where `raw` is set. */
export interface AnswerSpec {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly data: Schema;
  /** Schema of `meta.summary`, where the answer has one. */
  readonly summary?: Schema;
  /** The summary may change while the data does not, so that it is part of the ETag. */
  readonly isSummaryInTag?: true;
  /** Media type of a body without an envelope. */
  readonly raw?: string;
}

/** One endpoint: the source of its routing, validation, response checks, types and reference. */
export interface OperationSpec {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to `/api/v1`, parameters in braces. */
  readonly path: string;
  readonly tag: string;
  readonly title: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterSpec[];
  readonly body?: Schema;
  readonly answer: AnswerSpec;
  /** Set for lists, which accept the list parameters and answer with pages and CSV. */
  readonly list?: ListSpec;
  /** Access of an endpoint of the server itself. That of a query or command is derived from its requirement. */
  readonly access?: Access;
  /** Served before the caches have synced. */
  readonly beforeReady?: true;
}

/** An endpoint with the access of its query or command. */
export interface Operation extends OperationSpec {
  readonly access: Access;
  /** False where no GET returns the mutated object: `If-Match` is rejected. */
  readonly takesIfMatch: boolean;
  readonly list?: SortableList;
}

/** A list with its sortable fields. */
export interface SortableList extends ListSpec {
  /** Fields accepted by `sort`, as dotted paths: those with a single value. */
  readonly sort: readonly string[];
}

/** Sorting and filtering of a list. */
export interface ListSpec {
  /** A field with a single value; descending with a leading `-`. */
  readonly defaultSort: string;
  /** Additional filters. */
  readonly filters?: readonly ParameterSpec[];
  /** False for records without a namespace. */
  readonly namespaced: boolean;
}

/** Whether the operation changes something. Mutations accept `dryRun`, `If-Match` and, on POST, `Idempotency-Key`. */
export function isMutation(operation: Pick<OperationSpec, 'method'>): boolean {
  return operation.method !== 'get';
}
