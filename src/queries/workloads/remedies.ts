import { AWAITING_REASONS, type AwaitingReason } from '../../apis/conditions.ts';
import type { Recommendation as RecommendationItem } from '../../apis/http/types.generated.ts';

/** What ends each reason to wait. */
const FREED_BY: Readonly<Record<AwaitingReason, string>> = {
  window: 'The policy’s next window opens.',
  cooldown: 'The cool-down since the last change ends.',
  approval: 'A user approves the values.',
  confidence:
    'Confidence reaches the policy’s minConfidence, by more hours of usage; or the pod uses less memory, where its limit would be lowered. The message says which.',
  'node-capacity': 'A node has capacity for the larger request.',
  concurrency: 'The resize of another workload of the same policy is complete.',
  'not-evictable': 'Its pod is replaced, or may be evicted: the workload has more than one replica and no annotation forbids it.',
  stuck: 'The API server or the node carries out the resize; the message has its response.',
  'node-unsupported':
    'The pod runs on a node that can resize it in place, or is replaced by one with the values; the message names the property of its node.',
  'node-draining': 'The pod runs on a schedulable node.',
  unmeasured:
    "The evidence of a regression is measured: throttling under CPU limits (kubelets' /metrics/cadvisor, or Prometheus); in Guaranteed pods also CPU minute by minute over some days; without a CPU limit, pressure on its nodes, or they use less than 80 % of their CPU.",
  'disruption-budget': 'A disruption budget allows one more disruption.',
  restart: 'The pods are restarted, or the policy allows the restart that this change needs.',
  rollout: 'The rollout is complete, and every pod is running, ready and past its start-up; after an eviction also the replacement.',
  hpa: 'The target of the HorizontalPodAutoscaler that scales on this request may change with it, or it no longer scales on this request.',
  'warm-up': 'The warm-up after a start ends.',
  paused: 'The pause ends.',
  'stale-data':
    'The source in the message responds again: usage, the informers or the error-rate query; after the clock was set back, usage is recorded again.',
  hold: 'The hold that a user requested ends: that of the annotation evenkeel.io/held-until, or of a roll-back. The message says which.',
  'rolled-back': 'The hold after the roll-back ends; an urgent raise is made earlier.',
  'start-up': 'Its pods have been ready for two minutes.',
  quota: 'The namespace’s quota has capacity.',
  'dry-run': 'The dry run ends.',
};

/** Sentences that describe what would change the present recommendation. */
export function listRemedies(record: RecommendationItem, message: string | undefined): readonly string[] {
  const reasons: string[] = [];
  if (message !== undefined && message !== '') reasons.push(message);
  if (record.state === 'collecting') reasons.push('More usage: an hour of it, or five runs of a Job.');
  if (record.state === 'excluded') reasons.push('The annotation evenkeel.io/exclude is removed, and its mode is not Off.');
  if (record.state === 'awaiting' && isAwaitingReason(record.reason)) {
    reasons.push(`${FREED_BY[record.reason]}${record.until === null ? '' : ` Next try at ${record.until}.`}`);
  }
  for (const container of record.containers) {
    const { lowerBound, upperBound } = container;
    if (lowerBound.cpuMillicores !== null && upperBound.cpuMillicores !== null) {
      reasons.push(
        `${container.name}: CPU demand outside ${lowerBound.cpuMillicores}m to ${upperBound.cpuMillicores}m changes the value: a raise is due at once, a reduction after its checks.`,
      );
    }
  }
  if (record.overrides.floor !== null) reasons.push('The floor annotation is lowered or removed.');
  if (record.overrides.ceiling !== null) reasons.push('The ceiling annotation is raised or removed.');
  return reasons;
}

function isAwaitingReason(reason: string | null): reason is AwaitingReason {
  return (AWAITING_REASONS as readonly (string | null)[]).includes(reason);
}
