import type { CommandRefusal } from '../../commands/outcome.ts';
import { Problem, notReady } from '../problem.ts';
import { refusalProblem } from '../refusal-problem.ts';

/** A command's refusal as an answer. */
export function commandProblem(refusal: CommandRefusal): Problem {
  switch (refusal.kind) {
    case 'conflict':
      return new Problem('conflict', refusal.message);
    case 'rejected':
      return new Problem('rejected_by_cluster', refusal.message);
    case 'not-feasible':
      return new Problem('not_feasible', refusal.message);
    case 'unavailable':
      return notReady(refusal.message);
    default:
      return refusalProblem(refusal);
  }
}
