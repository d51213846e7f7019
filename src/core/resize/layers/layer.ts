import type { WorkloadDecision } from '../model/decision.ts';
import type { WorkloadSituation } from '../model/situation.ts';

export type Decide = (context: WorkloadSituation) => WorkloadDecision;

/** One concern of right-sizing, independent of the others. It may change the situation of the inner layers, or their decision. */
export interface ResizeLayer {
  readonly name: string;
  /** @param next the decision of the inner layers; called at most once for the same pods */
  apply(context: WorkloadSituation, next: Decide): WorkloadDecision;
}

/** Decides through all layers. @param layers the outermost first @param decide the innermost decision */
export function applyLayers(context: WorkloadSituation, layers: readonly ResizeLayer[], decide: Decide): WorkloadDecision {
  const [layer, ...inner] = layers;
  return layer === undefined ? decide(context) : layer.apply(context, (changed) => applyLayers(changed, inner, decide));
}
