import type { Access } from '../../application/index.ts';
import type { Schema } from './schema.ts';

/** A parameter of the path or of the query. Arrays are repeated (`?namespace=a&namespace=b`). */
export interface ParameterSpec {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

/** What a successful answer holds under `data`, or a raw body where `contentType` is set. */
export interface AnswerSpec {
  readonly status: 200 | 201 | 202;
  readonly description: string;
  readonly data: Schema;
  /** Schema of `meta.summary`, where the answer has one. */
  readonly summary?: Schema;
  /** Raw, without envelope: the media type. */
  readonly raw?: string;
}

/** One endpoint: the one source of its routing, validation, response checks, types and reference. */
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
  /** A list: takes the list parameters, answers pages and CSV. */
  readonly list?: ListSpec;
  /** Who may reach what the server itself answers. That of a query or a command is derived from its requirement. */
  readonly access?: Access;
  /** Answers before the caches have synced. */
  readonly beforeReady?: true;
}

/** An endpoint joined with the query or command that it offers. */
export interface Operation extends OperationSpec {
  readonly access: Access;
  /** False for a mutation of what no GET reads as one object: `If-Match` is refused. */
  readonly takesIfMatch: boolean;
  readonly list?: SortableList;
}

/** A list joined with its record. */
export interface SortableList extends ListSpec {
  /** Fields that `sort` takes, dotted into the record: those that have one value. */
  readonly sort: readonly string[];
}

/** How a list is sorted and filtered. */
export interface ListSpec {
  /** A field that has one value, ascending unless it begins with `-`. */
  readonly defaultSort: string;
  /** Enumerations of the record that filter by their own name. */
  readonly filters?: readonly ParameterSpec[];
  /** False where the records have no namespace. */
  readonly namespaced: boolean;
}

/** The effects: they take `dryRun`, `If-Match` and, on POST, `Idempotency-Key`. */
export function isMutation(operation: Pick<OperationSpec, 'method'>): boolean {
  return operation.method !== 'get';
}
