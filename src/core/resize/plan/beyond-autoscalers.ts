import type { Instant } from '../../model/units.ts';
import { outcome, type Outcome } from '../model/decision.ts';
import { dueChanges } from './due-changes.ts';
import type { ContainerFigures } from '../model/container-figures.ts';

/** What the state tells where an autoscaler alone keeps a change from being due; null: none does. */
export function beyondAutoscalers(figures: readonly ContainerFigures[], now: Instant): Outcome | null {
  for (const { name, inForce, beyondAutoscaler, advice, policy } of figures) {
    if (beyondAutoscaler === undefined || advice === null) continue;
    const { target, because } = beyondAutoscaler;
    if (dueChanges({ now, container: name, current: inForce, target, advice, policy }).length > 0)
      return outcome('awaiting', 'hpa', because);
  }
  return null;
}
