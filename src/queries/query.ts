import type { Requirement } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';

/** One query with its required access. `Models` are the read models that it needs. */
export interface Query<Models, Input, Outcome> {
  readonly requires: Requirement<Input>;
  /** Called after the check of the required access; filters by the scope. */
  answer(models: Models, scope: Scope, input: Input): Outcome | Promise<Outcome>;
}

/** Infers the types of a query from its `answer`. */
export function defineQuery<Models, Input, Outcome>(
  query: Omit<Query<Models, Input, Outcome>, 'requires'> & { readonly requires: Requirement<NoInfer<Input>> },
): Query<Models, Input, Outcome> {
  return query;
}
