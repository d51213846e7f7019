import { ACCESS, type Application, type QueryName } from '../../application/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Scope } from '../../core/access/scope.ts';
import { integer, nullable, string, type Schema } from '../openapi/schema.ts';

/** One call: who asks, and what answers. */
export interface ToolContext {
  readonly application: Application;
  readonly scope: Scope;
}

/** Arguments of a call after validation. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The answer of a tool as plain JSON data, or why there is none. */
export type ToolAnswer = { readonly kind: 'answer'; readonly data: object } | Refusal;

/** A tool of the MCP server. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** For the model: when to use it, what it returns, and what it does not. */
  readonly description: string;
  /** The query that answers, whose access the tool has. */
  readonly query: QueryName;
  /** Not registered while this feature is off. */
  readonly feature?: 'idleWorkloads';
  /** Properties of the arguments. */
  readonly arguments: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  /** Schema of the answer, with references to the API's records. */
  readonly output: Schema;
  answer(context: ToolContext, given: ToolArguments): Promise<ToolAnswer>;
}

/** Whether only admins see the tool. */
export function isAdminTool({ query }: Pick<Tool, 'query'>): boolean {
  return ACCESS[query] === 'admin';
}

/** Schema of a tool's arguments. */
export function inputSchemaOf(tool: Pick<Tool, 'arguments' | 'required'>): Schema {
  return { type: 'object', properties: tool.arguments, required: tool.required, additionalProperties: false };
}

/** What a call is about, for its access event: `namespace/name`, a namespace, or nothing. */
export function targetOf({ namespace, name }: ToolArguments): string {
  return [namespace, name].filter((part) => typeof part === 'string').join('/');
}

const objectName = (description: string): Schema => string(description, { minLength: 1, maxLength: 253 });
const namespaceName = (description: string): Schema => string(description, { pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' });

/** Arguments that several tools share. */
export const ARGUMENTS = {
  namespace: namespaceName('Only this namespace. Omitted: all namespaces that you may read.'),
  workloadNamespace: namespaceName('Its namespace.'),
  workloadName: objectName('Name of the workload, such as that of its Deployment. Not a pod.'),
  kind: string('Kind of the workload, such as Deployment. Needed only where two kinds share the name.', { minLength: 1, maxLength: 63 }),
  duration: (byDefault: string): Schema =>
    string(`Length of the period that ends now, with one unit: 30m, 6h, 7d. From 5m to 90d; default ${byDefault}.`, {
      pattern: '^[1-9][0-9]{0,6}(s|m|h|d|w)$',
    }),
} as const;

/** Arguments of every list. */
export const LIST_ARGUMENTS: Readonly<Record<string, Schema>> = {
  limit: integer('Maximum number of items. With it the answer may have 48 KiB, without it 8 KiB.', { minimum: 1, maximum: 500 }),
  cursor: string('`nextCursor` of the page before, with the same other arguments.', { minLength: 1, maxLength: 4096 }),
};

/** `asOf` of every answer. */
export const AS_OF: Schema = nullable(
  string('When the informers and the usage source last confirmed the data; null before that.', { format: 'date-time' }),
);
