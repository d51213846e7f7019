// Queries of parts that Evenkeel does not have yet. They check access like every query, and answer that there is nothing.

import type { Warning } from '../apis/http/types.generated.ts';
import { VIEWER_OF_LISTED, VIEWER_OF_TARGET } from '../core/access/requirement.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { ListQuery } from './listing.ts';
import type { Page } from './outcome.ts';
import { defineQuery } from './query.ts';

/** Warning that a part is missing from an answer. @param what in the plural: "Scheduled scaling policies" */
export function notAvailableYet(what: string): Warning {
  return { code: 'not_available_yet', message: `${what} are not available in this version of Evenkeel.` };
}

type NamespacedQuery = Pick<ListQuery, 'namespace' | 'limit' | 'cursor'>;

const empty = (what: string): Page<never> => ({
  kind: 'page',
  items: [],
  total: 0,
  nextCursor: null,
  warnings: [notAvailableYet(what)],
});

export const listScheduledScales = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: (_models: unknown, _scope, _query: NamespacedQuery): Page<never> => empty('Scheduled scaling policies'),
});

export const getScheduledScale = defineQuery({
  requires: VIEWER_OF_TARGET,
  answer: (_models: unknown, _scope, { target }: { readonly target: { readonly namespace: string; readonly name: string } }): Refusal => ({
    kind: 'not-found',
    message: `Namespace ${target.namespace} has no scheduled scaling policy ${target.name}: they are not available in this version of Evenkeel.`,
  }),
});

export const listStorageExceptions = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: (_models: unknown, _scope, _query: NamespacedQuery): Page<never> => empty('Storage exceptions'),
});
