import type { Operations, Warning } from '../apis/http/types.generated.ts';
import type { Instant } from '../core/model/units.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { Found, Page } from '../queries/outcome.ts';
import { refusalProblem } from './refusal-problem.ts';

export type OperationId = keyof Operations;

/** What a handler answers; the envelope, entity tag and form are put around it. */
export interface Reply<Id extends OperationId> {
  readonly data: Operations[Id]['data'];
  readonly total: number;
  readonly nextCursor: string | null;
  readonly summary: Operations[Id]['summary'] | undefined;
  readonly cachedAt: Instant | null;
  readonly warnings: readonly Warning[];
  readonly dryRun: boolean;
}

const PLAIN = { nextCursor: null, summary: undefined, cachedAt: null, warnings: [], dryRun: false } as const;

/** A page of a list, or the problem that it met. */
export function list<Id extends OperationId, Item>(
  outcome: (Operations[Id]['data'] extends readonly Item[] ? Page<Item, Operations[Id]['summary']> : never) | Refusal,
): Reply<Id> {
  if (outcome.kind !== 'page') throw refusalProblem(outcome);
  return {
    ...PLAIN,
    data: outcome.items as Operations[Id]['data'],
    total: outcome.total,
    nextCursor: outcome.nextCursor,
    summary: outcome.summary,
    cachedAt: outcome.cachedAt ?? null,
    warnings: outcome.warnings ?? [],
  };
}

/** One object, or the problem that it met. */
export function one<Id extends OperationId>(outcome: Found<Operations[Id]['data'], Operations[Id]['summary']> | Refusal): Reply<Id> {
  if (outcome.kind !== 'found') throw refusalProblem(outcome);
  return {
    ...PLAIN,
    data: outcome.item,
    total: 1,
    summary: outcome.summary,
    cachedAt: outcome.cachedAt ?? null,
    warnings: outcome.warnings ?? [],
  };
}

/** What a mutation left behind. */
export function changed<Id extends OperationId>(
  data: Operations[Id]['data'],
  options: { readonly dryRun: boolean; readonly total?: number; readonly summary?: Operations[Id]['summary'] },
): Reply<Id> {
  return { ...PLAIN, data, total: options.total ?? 1, summary: options.summary, dryRun: options.dryRun };
}
