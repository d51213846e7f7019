import type { WorkloadSituation } from '../model/situation.ts';
import { modeInForce } from '../policy/policy-rules.ts';
import { holdsEverything } from './interlocks.ts';
import { otherManager } from './other-manager.ts';

/** Whether anything may be done to the workload's pods now, whatever it is. A dry run changes nothing. */
export function mayChangePods(context: WorkloadSituation): boolean {
  const { standing, policy, policyProblem, overrides } = context;
  const mode = modeInForce(policy, overrides);
  if (mode !== 'Auto' && mode !== 'Approve') return false;
  if (overrides.excluded || overrides.problems.length > 0 || policyProblem !== null) return false;
  return standing.inPlace && !standing.dryRun && !policy.dryRun && holdsEverything(context) === null && otherManager(context) === null;
}
