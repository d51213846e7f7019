// Why a resize was refused, as codes. Neither the kubelet nor the API server gives one beyond Deferred, Infeasible and
// Forbidden, so the rest is read from their messages: here alone, and once, when the refusal is recorded.

export const REFUSAL_CODES = ['node-capacity', 'node-policy', 'quota', 'permission', 'start-up-boost', 'other'] as const;
/**
 * node-policy: CPU or memory manager policy static, which no later try changes. quota: of a ResourceQuota or LimitRange.
 * start-up-boost: more CPU to start, whatever the reason.
 */
export type RefusalCode = (typeof REFUSAL_CODES)[number];

const NODE_POLICY = /static|exclusive/i;
/** The authorizer's message; quotas and webhooks refuse in others. */
const PERMISSION = /cannot \w+ resource "/;
/** The messages of the admission plug-ins ResourceQuota and LimitRanger. */
const QUOTA = /quota|\b(minimum|maximum) \w+ usage per (Container|Pod)\b|limit to request ratio/i;

/** @param message of the kubelet where the state is deferred or infeasible, else of the API server */
export function refusalCode(state: 'deferred' | 'infeasible' | 'error', message: string): RefusalCode {
  if (state === 'infeasible' && NODE_POLICY.test(message)) return 'node-policy';
  if (state !== 'error') return 'node-capacity';
  if (PERMISSION.test(message)) return 'permission';
  return QUOTA.test(message) ? 'quota' : 'other';
}
