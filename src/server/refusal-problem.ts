import type { Refusal } from '../core/access/refusal.ts';
import { Problem, invalidRequest } from './problem.ts';

/** A refusal as an answer. */
export function refusalProblem(refusal: Refusal): Problem {
  switch (refusal.kind) {
    case 'not-found':
      return new Problem('not_found', refusal.message);
    case 'forbidden':
      return new Problem('forbidden', refusal.message);
    case 'invalid':
      return invalidRequest(refusal.details);
    case 'ambiguous':
      return new Problem('ambiguous_workload', refusal.message, {
        details: refusal.kinds.map((kind) => ({ path: 'query.kind', message: kind })),
      });
  }
}
