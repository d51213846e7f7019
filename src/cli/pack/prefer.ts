// Keeps preferences where that costs little: the pods are packed without them and with them, and the difference decides.

import type { Packing } from '../../core/packing/packing.ts';
import { countPreferences, type PreferenceCount } from '../../core/packing-rules/kept-preferences.ts';
import { HOSTNAME_LABEL } from '../../core/packing-rules/pool-shape.ts';
import { assignedNodes } from './assigned-nodes.ts';
import type { PackInput } from './input/read-input.ts';
import { type PlanDependencies, type PricedPacking, searchPacking, summedPrices } from './plan.ts';

/** What became of the preferences. */
export interface PreferenceResult extends PreferenceCount {
  /** Kept by the packing that ignores them. */
  readonly keptWithout: number;
  /** Whether the packing keeps those that were chosen. */
  readonly isObeyed: boolean;
  /** What they cost or would cost, in dollars an hour; null: no packing keeps them within `max`. */
  readonly usdPerHour: number | null;
  /** What they may cost. */
  readonly maxUsdPerHour: number;
  readonly steps: number;
}

export interface ChosenPacking {
  readonly input: PackInput;
  readonly best: PricedPacking;
  /** Null: there are no preferences. */
  readonly preferences: PreferenceResult | null;
}

/** The packing with the preferences where they cost at most what they may, else the one without. @param prices by class of the relaxed problem @param best the packing without */
export async function choosePreferred(
  input: PackInput,
  prices: Float64Array,
  best: PricedPacking,
  dependencies: Pick<PlanDependencies, 'seconds' | 'signal' | 'nowMs'>,
): Promise<ChosenPacking> {
  const { preferring } = input;
  const without = countKept(input, best.packing);
  if (without.total === 0) return { input, best, preferences: null };
  const refused: PreferenceResult[] = [];
  for (const { problem, classOf, classesOf, maxUsd } of preferring) {
    const seconds = dependencies.seconds / preferring.length;
    const found = await searchPacking(problem, summedPrices(prices, classesOf), { ...dependencies, seconds });
    const usdPerHour = found === null ? null : Math.max(0, found.usdPerHour - best.usdPerHour);
    const result = { keptWithout: without.kept, usdPerHour, maxUsdPerHour: maxUsd, steps: found?.steps ?? 0 };
    if (found !== null && found.usdPerHour <= best.usdPerHour + maxUsd) {
      const preferred = { ...input, problem, classOf };
      return { input: preferred, best: found, preferences: { ...countKept(preferred, found.packing), ...result, isObeyed: true } };
    }
    refused.push({ ...without, ...result, isObeyed: false });
  }
  // The last ones ask for the least.
  const none = { ...without, keptWithout: without.kept, isObeyed: false, usdPerHour: 0, maxUsdPerHour: 0, steps: 0 };
  return { input, best, preferences: refused.at(-1) ?? none };
}

function countKept(input: PackInput, packing: Packing): PreferenceCount {
  if (input.facts === null) return { kept: 0, total: 0 };
  const placed = [...assignedNodes(input, packing)].flatMap(({ name, shape, pods }) => {
    const nodeLabels = { ...input.pools[shape]?.labels, [HOSTNAME_LABEL]: name };
    return pods.flatMap((at) => (input.pods[at]?.item?.pods ?? []).map(({ workload }) => ({ workload, nodeLabels })));
  });
  return countPreferences(
    input.facts.workloads,
    placed,
    input.pools.map(({ labels }) => labels),
  );
}
