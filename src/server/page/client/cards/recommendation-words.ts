import type { Recommendation, OptionalResources } from '../../../../apis/http/types.generated.ts';
import { moment } from '../format.ts';
import type { IconName } from '../icons.ts';

/** A displayed state: text, colour and icon. */
export interface StateDescription {
  readonly word: string;
  readonly tone: '' | 'save' | 'warn' | 'crit' | 'infoc';
  readonly icon: IconName;
}

const REASONS: Readonly<Record<string, string>> = {
  window: 'waits for its window',
  cooldown: 'in cooldown',
  approval: 'awaits approval',
  confidence: 'waits for confidence',
  'node-capacity': 'waits for node capacity',
  concurrency: 'waits for other workloads',
  'not-evictable': 'never evicted',
  stuck: 'stuck',
  'node-draining': 'node is being drained',
  'node-unsupported': 'node cannot resize in place',
  unmeasured: 'waits for throttling data',
  'disruption-budget': 'waits for a disruption budget',
  restart: 'waits for a restart',
  rollout: 'waits for a rollout',
  hpa: 'waits for its autoscaler',
  'warm-up': 'warming up',
  paused: 'paused',
  'stale-data': 'waits for current usage',
  hold: 'held by a user',
  'rolled-back': 'held after a rollback',
  'start-up': 'waits for its pods to start',
  quota: 'waits for quota',
  'dry-run': 'dry-run',
  'no-in-place': 'in-place resize not supported',
  'other-manager': 'another tool sizes it',
  'invalid-policy': 'policy is invalid',
  'invalid-annotation': 'annotation is invalid',
  'invalid-template': 'pod template is invalid',
};

export function describeState(item: Pick<Recommendation, 'state' | 'reason' | 'until'>): StateDescription {
  const reason = item.reason === null ? '' : (REASONS[item.reason] ?? item.reason);
  const until = item.until === null ? '' : ` until ${moment(item.until)}`;
  switch (item.state) {
    case 'collecting':
      return { word: 'Collecting usage', tone: '', icon: 'dots' };
    case 'optimal':
      return { word: 'Right-sized', tone: '', icon: 'check' };
    case 'recommended':
      return { word: 'Recommended', tone: 'save', icon: 'down' };
    case 'awaiting':
      return { word: `${capital(reason === '' ? 'waits' : reason)}${until}`, tone: 'warn', icon: 'clock' };
    case 'applying':
      return { word: 'Applying', tone: 'save', icon: 'down' };
    case 'applied':
      return { word: 'Applied', tone: 'save', icon: 'check' };
    case 'idle':
      return { word: 'Idle', tone: 'infoc', icon: 'pause' };
    case 'exception':
      return { word: 'Over its limit', tone: 'crit', icon: 'octagon' };
    case 'blocked':
      return { word: `Blocked: ${reason === '' ? 'see details' : reason}`, tone: 'warn', icon: 'triangle' };
    case 'excluded':
      return { word: 'Excluded', tone: '', icon: 'close' };
  }
}

/** Whether a change is pending or in progress. */
export function isOpen({ state }: Pick<Recommendation, 'state'>): boolean {
  return state === 'recommended' || state === 'awaiting' || state === 'applying' || state === 'exception';
}

/** Whether a user's decision is needed: the row has approve and reject buttons. */
export function isForDecision(item: Pick<Recommendation, 'state' | 'reason' | 'mode' | 'containers'>): boolean {
  const hasValues = item.containers.some(
    ({ recommended }) => recommended.requests.cpuMillicores !== null || recommended.requests.memoryBytes !== null,
  );
  return (
    hasValues && ((item.state === 'awaiting' && item.reason === 'approval') || (item.state === 'recommended' && item.mode === 'Approve'))
  );
}

/** Sorts open recommendations first, those that need a user before others, then by savings. */
export function byUrgency(a: Recommendation, b: Recommendation): number {
  return (
    rank(a) - rank(b) ||
    (b.savingsPerMonthUsd ?? -Infinity) - (a.savingsPerMonthUsd ?? -Infinity) ||
    (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1)
  );
}

function rank(item: Recommendation): number {
  if (item.state === 'exception' || isForDecision(item)) return 0;
  if (isOpen(item) || item.state === 'blocked') return 1;
  return item.state === 'applied' || item.state === 'optimal' ? 2 : 3;
}

/** Sum over the containers of one replica; null where no value is known. */
export function perReplica(
  item: Recommendation,
  pick: (container: Recommendation['containers'][number]) => OptionalResources,
  field: 'cpuMillicores' | 'memoryBytes',
): number | null {
  let sum: number | null = null;
  for (const container of item.containers) {
    const amount = pick(container)[field];
    if (amount !== null) sum = (sum ?? 0) + amount;
  }
  return sum;
}

export function keyOf(item: { readonly namespace: string; readonly kind: string; readonly name: string }): string {
  return `${item.namespace}/${item.kind}/${item.name}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
