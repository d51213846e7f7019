import type { Recommendation, OptionalResources } from '../../../apis/http/types.generated.ts';
import { clock } from './format.ts';
import type { IconName } from './icons.ts';

/** A state as a person reads it: word, colour and shape. */
export interface StateWords {
  readonly word: string;
  readonly tone: '' | 'save' | 'warn' | 'crit' | 'infoc';
  readonly icon: IconName;
}

const REASONS: Readonly<Record<string, string>> = {
  window: 'waits for its window',
  cooldown: 'cools down',
  approval: 'awaits approval',
  confidence: 'waits for confidence',
  'node-capacity': 'waits for room on a node',
  concurrency: 'waits for other workloads',
  'not-evictable': 'never evicted',
  stuck: 'stuck',
  'node-draining': 'its node is being drained',
  'node-unsupported': 'its node cannot resize it in place',
  unmeasured: 'waits until the harm of less CPU would be measured',
  'disruption-budget': 'waits for a disruption budget',
  restart: 'waits for a restart',
  rollout: 'waits for a roll-out',
  hpa: 'waits for its autoscaler',
  'warm-up': 'watches first',
  paused: 'paused',
  'stale-data': 'waits for fresh usage',
  hold: 'held by a user',
  'rolled-back': 'held after a roll-back',
  'start-up': 'waits until its pods have started',
  quota: 'waits for quota',
  'dry-run': 'dry-run',
  'no-in-place': 'no in-place resize here',
  'other-manager': 'another tool sizes it',
  'invalid-policy': 'its policy is invalid',
  'invalid-annotation': 'an annotation is invalid',
  'invalid-template': 'its pod template is invalid',
};

export function stateWords(item: Pick<Recommendation, 'state' | 'reason' | 'until'>): StateWords {
  const reason = item.reason === null ? '' : (REASONS[item.reason] ?? item.reason);
  const until = item.until === null ? '' : ` until ${clock(item.until)}`;
  switch (item.state) {
    case 'collecting':
      return { word: 'Collecting usage', tone: '', icon: 'dots' };
    case 'optimal':
      return { word: 'Right size', tone: '', icon: 'check' };
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
      return { word: `Blocked: ${reason === '' ? 'see why' : reason}`, tone: 'warn', icon: 'triangle' };
    case 'excluded':
      return { word: 'Excluded', tone: '', icon: 'close' };
  }
}

/** A change stands open: it is due, waits, or is under way. */
export function isOpen({ state }: Pick<Recommendation, 'state'>): boolean {
  return state === 'recommended' || state === 'awaiting' || state === 'applying' || state === 'exception';
}

/** A person's word would move it: approve and reject stand beside it. */
export function isForDecision(item: Pick<Recommendation, 'state' | 'reason' | 'mode' | 'containers'>): boolean {
  const valued = item.containers.some(
    ({ recommended }) => recommended.requests.cpuMillicores !== null || recommended.requests.memoryBytes !== null,
  );
  return valued && ((item.state === 'awaiting' && item.reason === 'approval') || (item.state === 'recommended' && item.mode === 'Approve'));
}

/** Open first, what needs a person before what does not, then by money. */
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

/** One replica of the workload: the sum over its containers; null where any of it is not known. */
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
