// Which pods get a temporary overage now, and which give it back.

import { FIELD, withAmount, type Values } from '../../model/container-values.ts';
import { carryOut, type CarryOut } from '../../plan/carry-out.ts';
import { heldByPerson, holdsChange } from '../../plan/interlocks.ts';
import type { Waiting } from '../../model/waiting.ts';
import type { WorkloadSituation } from '../../model/situation.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { amount } from './evidence.ts';
import { isApplied, isReturning, type LimitException } from '../../model/limit-exception.ts';

/** What is to be done for overages. */
export interface OverageSteps {
  /** At once, and before anything else: it is for want of it that containers are killed. */
  readonly given: CarryOut;
  /** Like any decrease: in windows, one pod after the other, never under what is in use. */
  readonly returned: CarryOut;
}

const NOTHING: CarryOut = { steps: [], settled: [], reachable: 0, waits: [] };
export const NO_OVERAGE_STEPS: OverageSteps = { given: NOTHING, returned: NOTHING };

export function overageSteps(situation: WorkloadSituation, plans: readonly ContainerPlan[]): OverageSteps {
  const { now, memory } = situation;
  const applied = memory.limitExceptions.filter(isApplied);
  const giving = applied.filter((exception) => !isReturning(exception, now));
  const returning = applied.filter((exception) => isReturning(exception, now));
  return { given: give(situation, giving), returned: takeBack(situation, plans, returning) };
}

function give(situation: WorkloadSituation, giving: readonly LimitException[]): CarryOut {
  if (giving.length === 0 || heldByPerson(situation)) return NOTHING;
  const values = limitsOnly(giving, ({ overage, limit }) => overage?.value ?? limit);
  const what = giving.map(({ container, resource, overage }) => `${resource} of ${container} to ${amount(resource, overage?.value ?? 0)}`);
  const result = carryOut(situation, values, {
    kind: 'overage',
    most: Number.POSITIVE_INFINITY,
    because: `a limit exception is open: for a while ${what.join(', ')}`,
  });
  return { ...result, steps: result.steps.filter(({ lowers }) => !lowers) };
}

function takeBack(situation: WorkloadSituation, plans: readonly ContainerPlan[], returning: readonly LimitException[]): CarryOut {
  if (returning.length === 0) return NOTHING;
  const held = heldBack(situation, returning);
  if (held !== null) return { ...NOTHING, waits: [held] };
  const values = limitsOnly(returning, ({ container, resource, overage, limit }) => {
    const inForce = plans.find(({ name }) => name === container)?.inForce.limits[FIELD[resource]] ?? 0;
    return Math.max(overage?.before ?? limit, inForce);
  });
  const options = { kind: 'overage', because: 'the temporary limit is taken back' } as const;
  const { settled } = carryOut(situation, values, { ...options, most: 0 });
  return carryOut(situation, values, { ...options, most: settled.length + 1 });
}

/** A revert is not urgent. Autoscalers do not mind: requests stay. */
function heldBack(situation: WorkloadSituation, returning: readonly LimitException[]): Waiting | null {
  const [first] = returning;
  if (first === undefined) return null;
  const { container, resource } = first;
  const change = { container, resource, direction: 'lower', urgent: false, oom: false, confidence: 1 } as const;
  return holdsChange({ ...situation, hpas: [] }, change, true);
}

function limitsOnly(exceptions: readonly LimitException[], valueOf: (exception: LimitException) => number): Values {
  const values = new Map<string, { requests: typeof UNSET_RESOURCES; limits: typeof UNSET_RESOURCES }>();
  for (const exception of exceptions) {
    const own = values.get(exception.container) ?? { requests: UNSET_RESOURCES, limits: UNSET_RESOURCES };
    values.set(exception.container, { ...own, limits: withAmount(own.limits, exception.resource, valueOf(exception)) });
  }
  return values;
}
