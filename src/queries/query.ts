import type { Requirement } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';

/** One question about the cluster, with who may ask it. `Models` names the read models that it needs. */
export interface Query<Models, Input, Outcome> {
  readonly requires: Requirement<Input>;
  /** Called once the requirement is met; filters by the scope. */
  answer(models: Models, scope: Scope, input: Input): Outcome | Promise<Outcome>;
}

/** Infers the types of a query from its code. */
export function defineQuery<Models, Input, Outcome>(query: Query<Models, Input, Outcome>): Query<Models, Input, Outcome> {
  return query;
}
