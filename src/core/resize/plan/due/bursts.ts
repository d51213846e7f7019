import type { ContainerAdvice } from '../../../recommender/advice.ts';
import type { Millicores } from '#kube/units';
import { containerPolicyOf, type PolicyRules } from '../../policy/policy-rules.ts';

/** The 95th percentile of usage may exceed a value that was computed from usage by this much. */
const OFTEN_RATIO = 1.1;

/**
 * Whether CPU usage exceeds a request only in a burst. Where a user has set a value below usage on purpose (`percentile`, `max`, a ceiling),
 * usage exceeds it often, and waiting for the end would never end.
 */
export function isBurst(
  policy: PolicyRules,
  { container, usage }: Pick<ContainerAdvice, 'container' | 'usage'>,
  used: Millicores,
  request: Millicores,
): boolean {
  if (containerPolicyOf(policy, container).cpu.percentile !== null) return false;
  return used > request && usage.p95.cpuMillicores <= request * OFTEN_RATIO;
}
