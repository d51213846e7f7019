// Why money is left: what separates the cost of the nodes that exist from the lower bound, part by part. Each part is the difference of two
// packings, of which the latter is free of one more restriction, so that the parts add up to the whole whatever the packings are.

/** What a part of the gap is due to. */
export type GapCause = 'fragmentation' | 'pending-pods' | 'immovable-pods' | 'policy' | 'spot-caution' | 'not-proven';

export interface GapPart {
  readonly cause: GapCause;
  /** Dollars an hour. Negative where pending pods need nodes that do not exist yet. */
  readonly usdPerHour: number;
}

/** The cost of a packing that is free of one more restriction. */
export interface GapStep {
  readonly cause: Exclude<GapCause, 'not-proven'>;
  /** Dollars an hour of the cheapest packing that was found; null: none was found. */
  readonly usdPerHour: number | null;
}

/**
 * The parts between `nowUsdPerHour` and `boundUsdPerHour`. A step costs no more than the one before: what solves the stricter problem solves
 * the freer one, too, also where the search has not found it again. Only pending pods add cost.
 * @param boundUsdPerHour of the last step
 */
export function splitGap(nowUsdPerHour: number, steps: readonly GapStep[], boundUsdPerHour: number): GapPart[] {
  const parts: GapPart[] = [];
  let cost = nowUsdPerHour;
  for (const { cause, usdPerHour } of steps) {
    const found = usdPerHour ?? cost;
    const next = cause === 'pending-pods' ? Math.max(cost, found) : Math.min(cost, found);
    parts.push({ cause, usdPerHour: cost - next });
    cost = next;
  }
  parts.push({ cause: 'not-proven', usdPerHour: cost - Math.min(cost, boundUsdPerHour) });
  return parts;
}

/** Amounts rounded to so many digits whose sum is the rounded sum. */
export function roundParts(parts: readonly GapPart[], digits: number): number[] {
  const factor = 10 ** digits;
  let exact = 0;
  let rounded = 0;
  return parts.map(({ usdPerHour }) => {
    exact += usdPerHour;
    const next = Math.round(exact * factor);
    const part = next - rounded;
    rounded = next;
    return part / factor;
  });
}
