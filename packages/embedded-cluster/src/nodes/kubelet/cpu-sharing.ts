/** Marks an undetermined share. */
const OPEN = -1;

/**
 * Distributes a node's CPU to its containers as the kernel's scheduler does: no container gets more than its demand, and the remainder is
 * shared in proportion to weights (requests). Works in place: `granted` must be as long as `wanted` and `weights`; only the first `count`
 * entries are used. Exact, in at most as many rounds as there are containers.
 */
export function shareCpu(
  wanted: Float64Array,
  weights: Float64Array,
  granted: Float64Array,
  count: number,
  capacityMillicores: number,
): void {
  if (sum(wanted, count) <= capacityMillicores) {
    for (let i = 0; i < count; i++) granted[i] = wanted[i] ?? 0;
    return;
  }
  granted.fill(OPEN, 0, count);
  let left = capacityMillicores;
  for (;;) {
    const openWeight = sumOpen(weights, granted, count);
    if (openWeight <= 0) return;
    const perWeight = left / openWeight;
    const given = settleContent(wanted, weights, granted, count, perWeight);
    if (given === null) {
      for (let i = 0; i < count; i++) if (granted[i] === OPEN) granted[i] = perWeight * (weights[i] ?? 0);
      return;
    }
    left -= given;
  }
}

/** Grants their demand to all containers whose demand is within their share. Returns the granted sum; null when there are none. */
function settleContent(
  wanted: Float64Array,
  weights: Float64Array,
  granted: Float64Array,
  count: number,
  perWeight: number,
): number | null {
  let given: number | null = null;
  for (let i = 0; i < count; i++) {
    const want = wanted[i] ?? 0;
    if (granted[i] !== OPEN || want > perWeight * (weights[i] ?? 0)) continue;
    granted[i] = want;
    given = (given ?? 0) + want;
  }
  return given;
}

function sumOpen(weights: Float64Array, granted: Float64Array, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) if (granted[i] === OPEN) total += weights[i] ?? 0;
  return total;
}

function sum(values: Float64Array, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += values[i] ?? 0;
  return total;
}
