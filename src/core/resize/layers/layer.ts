import type { WorkloadDecision } from '../model/decision.ts';
import type { WorkloadSituation } from '../model/situation.ts';

export type Decide = (context: WorkloadSituation) => WorkloadDecision;

/** One concern of right-sizing. It changes what the layers inside it see, or what they decide, and knows none of them. */
export interface ResizeLayer {
  readonly name: string;
  /** @param next the decision of everything inside this layer; never called more than once for the same pods */
  apply(context: WorkloadSituation, next: Decide): WorkloadDecision;
}

/** @param layers the outermost first @param decide the decision inside all of them */
export function applyLayers(context: WorkloadSituation, layers: readonly ResizeLayer[], decide: Decide): WorkloadDecision {
  const [layer, ...inner] = layers;
  return layer === undefined ? decide(context) : layer.apply(context, (changed) => applyLayers(changed, inner, decide));
}
