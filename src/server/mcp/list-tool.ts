import type { Page } from '../../application/index.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { array, boolean, integer, nullable, object, ref, string, type Schema } from '../openapi/schema.ts';
import { answerList } from './answer.ts';
import { AS_OF, LIST_ARGUMENTS, type Tool, type ToolAnswer, type ToolArguments, type ToolContext } from './tool.ts';

/** The page that a list asks for. */
export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

interface ListToolSpec<Item, Summary>
  extends Pick<Tool, 'name' | 'title' | 'description' | 'query' | 'arguments'>, Partial<Pick<Tool, 'feature'>> {
  /** Schema of one item of the answer. */
  readonly item: Schema;
  readonly itemOf: (item: Item) => object;
  readonly ask: (context: ToolContext, given: ToolArguments, page: PageRequest) => Promise<Page<Item, Summary> | Refusal>;
  readonly summarize: (page: Page<Item, Summary>) => string;
}

/** A tool that answers with a page of items. */
export function listTool<Item, Summary = undefined>(spec: ListToolSpec<Item, Summary>): Tool {
  const { item, itemOf, ask, summarize, arguments: filters, ...tool } = spec;
  return {
    ...tool,
    arguments: { ...filters, ...LIST_ARGUMENTS },
    required: [],
    output: object({
      summary: string('What all matching items amount to.'),
      items: array(item, 'Whole items, as many as fit.'),
      total: integer('Items that match, on all pages.'),
      truncated: boolean('Whether items are on other pages.'),
      nextCursor: nullable(string('Argument `cursor` of the next page; null on the last.')),
      asOf: AS_OF,
      warnings: array(ref('Warning'), 'What is missing, outdated or untrusted.'),
    }),
    answer: async (context, given) => {
      const { limit: _limit, cursor: _cursor, ...chosen } = given;
      const request = { tool: tool.name, filters: chosen, given, itemOf, summarize };
      const answer = await answerList(context, { ...request, ask: (page) => ask(context, given, page) });
      return (await unknownNamespace(context, given, answer)) ?? answer;
    },
  };
}

/** Refusal where nothing was found in a namespace that does not exist: a model would report that all is well in a misspelt one. */
async function unknownNamespace({ application, scope }: ToolContext, given: ToolArguments, answer: ToolAnswer): Promise<Refusal | null> {
  const { namespace } = given;
  if (typeof namespace !== 'string' || answer.kind !== 'answer' || (answer.data as { readonly total: number }).total > 0) return null;
  const query = { namespace: [namespace], limit: 1, sort: 'name', format: 'json' } as const;
  const found = await application.ask('listNamespaces', scope, query);
  if (found.kind !== 'page' || found.total > 0) return null;
  return { kind: 'not-found', message: `There is no namespace ${namespace}. get_namespace_health lists all that you may read.` };
}

/** Output schema of a tool that answers with one object. */
export function itemOutput(item: Schema): Schema {
  return object({
    summary: string(),
    item: nullable(item),
    truncated: boolean('Whether entries of its lists were left out.'),
    asOf: AS_OF,
    warnings: array(ref('Warning'), 'What is missing, outdated, left out or untrusted.'),
  });
}

/** Selects fields of a record: their schema, and the function that picks them. */
export function projection<Field extends string>(
  schema: Schema,
  fields: readonly Field[],
): { readonly schema: Schema; of<Item extends Readonly<Record<Field, unknown>>>(item: Item): Pick<Item, Field> } {
  const properties = schema.properties ?? {};
  return {
    schema: object(Object.fromEntries(fields.map((field) => [field, properties[field] ?? {}])), schema.description),
    of: (item) => Object.fromEntries(fields.map((field) => [field, item[field]])) as Pick<typeof item, Field>,
  };
}

/** The argument `namespace` as the queries take it. */
export function inNamespace({ namespace }: ToolArguments): { readonly namespace?: readonly string[] } {
  return typeof namespace === 'string' ? { namespace: [namespace] } : {};
}

/** "no workloads", "1 workload", "12 workloads". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;
}

export function dollars(usd: number | null): string {
  return usd === null ? 'an unknown amount' : `${usd.toFixed(2)} US dollars`;
}
