// Steps that grant temporary overages to pods, and that take them back.

import { FIELD, withAmount, type Values } from '../../model/container-values.ts';
import { planSteps, type StepPlan } from '../../plan/steps/plan-steps.ts';
import { isHeldByUser, findDueChangeBlocker } from '../../plan/blockers/blockers.ts';
import type { Waiting } from '../../model/waiting.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { amount } from './evidence.ts';
import { isApplied, isOverageEnding, type LimitException } from '../../model/limit-exception.ts';

/** Steps for overages. */
export interface OverageSteps {
  /** Granted at once and before other steps, because containers are OOM-killed or throttled without them. */
  readonly given: StepPlan;
  /** Taken back like any reduction: within windows, one pod after the other, never below present usage. */
  readonly returned: StepPlan;
}

const NOTHING: StepPlan = { steps: [], actuated: [], reachable: 0, waits: [] };
export const NO_OVERAGE_STEPS: OverageSteps = { given: NOTHING, returned: NOTHING };

/** The steps for all overages of a workload. */
export function overageSteps(situation: WorkloadSituation, plans: readonly ContainerPlan[]): OverageSteps {
  const { now, memory } = situation;
  const applied = memory.limitExceptions.filter(isApplied);
  const granted = applied.filter((exception) => !isOverageEnding(exception, now));
  const ending = applied.filter((exception) => isOverageEnding(exception, now));
  return { given: grantOverages(situation, granted), returned: endOverages(situation, plans, ending) };
}

function grantOverages(situation: WorkloadSituation, granted: readonly LimitException[]): StepPlan {
  if (granted.length === 0 || isHeldByUser(situation)) return NOTHING;
  const values = limitsOnly(granted, ({ overage, limit }) => overage?.value ?? limit);
  const what = granted.map(({ container, resource, overage }) => `${resource} of ${container} to ${amount(resource, overage?.value ?? 0)}`);
  const result = planSteps(situation, values, {
    kind: 'overage',
    maxPods: Number.POSITIVE_INFINITY,
    reason: `open limit exception: temporary limit of ${what.join(', ')}`,
  });
  return { ...result, steps: result.steps.filter(({ lowers }) => !lowers) };
}

function endOverages(situation: WorkloadSituation, plans: readonly ContainerPlan[], ending: readonly LimitException[]): StepPlan {
  if (ending.length === 0) return NOTHING;
  const wait = findReturnWait(situation, ending);
  if (wait !== null) return { ...NOTHING, waits: [wait] };
  const values = limitsOnly(ending, ({ container, resource, overage, limit }) => {
    const inForce = plans.find(({ name }) => name === container)?.inForce.limits[FIELD[resource]] ?? 0;
    return Math.max(overage?.before ?? limit, inForce);
  });
  const options = { kind: 'overage', reason: 'the temporary limit is taken back' } as const;
  const { actuated } = planSteps(situation, values, { ...options, maxPods: 0 });
  return planSteps(situation, values, { ...options, maxPods: actuated.length + 1 });
}

/** Why taking overages back waits; null: it does not. Autoscalers are ignored, because requests do not change. */
function findReturnWait(situation: WorkloadSituation, ending: readonly LimitException[]): Waiting | null {
  const [first] = ending;
  if (first === undefined) return null;
  const { container, resource } = first;
  const change = { container, resource, direction: 'lower', urgent: false, oom: false, confidence: 1 } as const;
  return findDueChangeBlocker({ ...situation, hpas: [] }, change, true);
}

function limitsOnly(exceptions: readonly LimitException[], valueOf: (exception: LimitException) => number): Values {
  const values = new Map<string, { requests: typeof UNSET_RESOURCES; limits: typeof UNSET_RESOURCES }>();
  for (const exception of exceptions) {
    const amounts = values.get(exception.container) ?? { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };
    values.set(exception.container, { ...amounts, limits: withAmount(amounts.limits, exception.resource, valueOf(exception)) });
  }
  return values;
}
