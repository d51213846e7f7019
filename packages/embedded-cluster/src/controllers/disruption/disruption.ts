import type { DurationMs } from '#kube/units';
import { MINUTE_MS } from '#kube/units';
import type { ControllerPorts, Stop } from '../controller-ports.ts';
import { isEqualJson } from '../../api/json.ts';
import { withCondition } from '../nodes/conditions.ts';
import { fromTimestamp } from '../../api/timestamp.ts';
import type { ObjectKey } from '../object-key.ts';
import { keyOf, splitKey } from '../object-key.ts';
import { watchKeys } from '../owners/owner-watch.ts';
import { isReady, isTerminating } from '../pods/pod-state.ts';
import { isSelectorMatch } from '../selectors.ts';
import type { Pod } from '../wire/pod.ts';
import type { DisruptionBudget, DisruptionBudgetStatus } from '../wire/policy.ts';
import { WorkList } from '../work-list.ts';
import type { BudgetNumbers } from './budget-arithmetic.ts';
import { budgetNumbers, isScaleNeeded } from './budget-arithmetic.ts';
import { expectedScale } from './expected-scale.ts';

const RESOURCE = 'poddisruptionbudgets.policy';
const COMPONENT = 'controllermanager';
/** A granted eviction whose pod still exists after this time did not happen: the allowance is restored. */
const DISRUPTION_TIMEOUT_MS: DurationMs = 2 * MINUTE_MS;
/** Kinds whose scale a percentage budget depends on. */
const SIZED = ['deployments.apps', 'replicasets.apps', 'statefulsets.apps'] as const;

/** Updates the status of every PodDisruptionBudget, from which evictions are granted. */
export function startDisruptionBudgets(ports: ControllerPorts): Stop {
  const { cluster } = ports;
  const work = new WorkList(ports.clock, (key) => reconcile(ports, key, work));
  const budgetsIn = (namespace: string): readonly DisruptionBudget[] =>
    cluster.list(RESOURCE, { namespace }) as readonly DisruptionBudget[];
  const stops = [
    watchKeys(cluster, RESOURCE, (key) => work.add(key)),
    cluster.onChange('pods', ({ object, previous }) => {
      for (const budget of budgetsIn(object.metadata.namespace ?? '')) {
        const matches = [object, previous].some((pod) => pod !== undefined && isSelectorMatch(budget.spec.selector, pod.metadata.labels));
        if (matches) work.add(keyOf(budget));
      }
    }),
    ...SIZED.map((resource) =>
      cluster.onChange(resource, ({ type, object, previous }) => {
        // Their status follows the pods, which are watched already.
        if (type === 'MODIFIED' && previous !== undefined && isEqualJson(object['spec'], previous['spec'])) return;
        budgetsIn(object.metadata.namespace ?? '')
          .filter(isScaleNeeded)
          .forEach((budget) => work.add(keyOf(budget)));
      }),
    ),
  ];
  return work.stopAfter(stops);
}

function reconcile(ports: ControllerPorts, key: ObjectKey, work: WorkList): void {
  const { cluster, clock, events } = ports;
  const { namespace, name } = splitKey(key);
  const budget = cluster.get(RESOURCE, namespace, name) as DisruptionBudget | undefined;
  if (budget === undefined) return;
  const now = clock.now();
  const all = cluster.list('pods', { namespace }) as readonly Pod[];
  const pods = all.filter((pod) => isSelectorMatch(budget.spec.selector, pod.metadata.labels));
  const { disruptedPods, recheckAt } = stillDisrupted(budget, pods, now);
  if (recheckAt !== undefined) work.addAt(key, recheckAt);

  const healthy = pods.filter((pod) => isReady(pod) && !isTerminating(pod) && disruptedPods[pod.metadata.name] === undefined).length;
  const scale = isScaleNeeded(budget) ? expectedScale(cluster, pods) : undefined;
  const numbers = budgetNumbers(budget, { healthy, pods: pods.length, scale: scale?.kind === 'known' ? scale.replicas : null });
  if (pods.length === 0) events.emit(budget, COMPONENT, 'Normal', 'NoPods', 'No matching pods found');
  if (numbers === null) {
    const why = scale?.kind === 'unknown' ? scale.why : '';
    events.emit(budget, COMPONENT, 'Warning', 'CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${why}`);
    write(ports, budget, failedStatus(budget, why, now));
    return;
  }
  write(ports, budget, statusOf(budget, numbers, disruptedPods, now));
}

/** Granted evictions without an observed deletion, and the time of the next check. */
function stillDisrupted(
  budget: DisruptionBudget,
  pods: readonly Pod[],
  now: number,
): { readonly disruptedPods: Record<string, string>; readonly recheckAt: number | undefined } {
  const disruptedPods: Record<string, string> = {};
  let recheckAt: number | undefined;
  for (const [name, grantedAt] of Object.entries(budget.status?.disruptedPods ?? {})) {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    const expiresAt = fromTimestamp(grantedAt) + DISRUPTION_TIMEOUT_MS;
    if (pod === undefined || isTerminating(pod) || expiresAt <= now) continue;
    disruptedPods[name] = grantedAt;
    recheckAt = Math.min(recheckAt ?? expiresAt, expiresAt);
  }
  return { disruptedPods, recheckAt };
}

function statusOf(
  budget: DisruptionBudget,
  numbers: BudgetNumbers,
  disruptedPods: Record<string, string>,
  now: number,
): DisruptionBudgetStatus {
  const enough = numbers.disruptionsAllowed > 0;
  const news = {
    type: 'DisruptionAllowed',
    status: enough ? 'True' : 'False',
    reason: enough ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  } as const;
  return {
    ...numbers,
    observedGeneration: budget.metadata.generation ?? 1,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: observed(withCondition(budget.status?.conditions, news, now), budget),
  };
}

/** Safe without information: no disruption is allowed. */
function failedStatus(budget: DisruptionBudget, why: string, now: number): DisruptionBudgetStatus {
  const before = budget.status ?? { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const news = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: why } as const;
  return {
    ...before,
    disruptionsAllowed: 0,
    observedGeneration: budget.metadata.generation ?? 1,
    conditions: observed(withCondition(before.conditions, news, now), budget),
  };
}

function observed(conditions: NonNullable<DisruptionBudgetStatus['conditions']>, budget: DisruptionBudget): typeof conditions {
  return conditions.map((condition) => ({ ...condition, observedGeneration: budget.metadata.generation ?? 1 }));
}

function write({ cluster }: ControllerPorts, budget: DisruptionBudget, status: DisruptionBudgetStatus): void {
  if (isEqualJson(status, budget.status)) return;
  cluster.modifyStatus(RESOURCE, budget.metadata.namespace ?? '', budget.metadata.name, (draft) => {
    draft['status'] = status;
  });
}
