import type { CommandRefusal } from '../application/index.ts';
import { Problem, invalidRequest, notReady } from './problem.ts';

/** A refusal as an answer. `locate` puts a field of the input where the request carries it: `/duration` becomes `query.duration`. */
export function refusalProblem(refusal: CommandRefusal, locate: (pointer: string) => string): Problem {
  switch (refusal.kind) {
    case 'not-found':
      return new Problem('not_found', refusal.message);
    case 'unauthenticated':
      return new Problem('unauthenticated', refusal.message, { headers: { 'www-authenticate': 'Bearer' } });
    case 'forbidden':
      return new Problem('forbidden', refusal.message);
    case 'session-required':
      return new Problem('session_required', refusal.message);
    case 'feature-disabled':
      return new Problem('feature_disabled', refusal.message);
    case 'invalid':
      return invalidRequest(refusal.details.map(({ path, message }) => ({ path: locate(path), message })));
    case 'ambiguous':
      return new Problem('ambiguous_workload', refusal.message, {
        details: refusal.kinds.map((kind) => ({ path: locate('/kind'), message: kind })),
      });
    case 'conflict':
      return new Problem('conflict', refusal.message);
    case 'rejected':
      return new Problem('rejected_by_cluster', refusal.message);
    case 'not-feasible':
      return new Problem('not_feasible', refusal.message);
    case 'unavailable':
      return notReady(refusal.message);
  }
}
