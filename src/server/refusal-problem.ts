import { REFUSAL_CODE, type CommandRefusal } from '../application/index.ts';
import { Problem, invalidRequest, notReady } from './problem.ts';

/**
 * Converts a refusal into an error answer. `locate` converts an input field into its location in the request: `/duration` becomes
 * `query.duration`.
 */
export function refusalProblem(refusal: CommandRefusal, locate: (pointer: string) => string): Problem {
  switch (refusal.kind) {
    case 'invalid':
      return invalidRequest(refusal.details.map(({ path, message }) => ({ path: locate(path), message })));
    case 'unavailable':
      return notReady(refusal.message);
    case 'unauthenticated':
      return new Problem('unauthenticated', refusal.message, { headers: { 'www-authenticate': 'Bearer' } });
    case 'ambiguous':
      return new Problem('ambiguous_workload', refusal.message, {
        details: refusal.kinds.map((kind) => ({ path: locate('/kind'), message: kind })),
      });
    default:
      return new Problem(REFUSAL_CODE[refusal.kind], refusal.message);
  }
}
