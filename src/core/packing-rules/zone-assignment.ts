// Zones of the pods of a group, chosen before the search: a rule between zones then is a question of which shapes a pod may use.

export type ZoneRule =
  /** The most pods in a zone less the fewest in any domain is at most `maxSkew`; with fewer domains than `minDomains` the fewest are 0. */
  | { readonly kind: 'spread'; readonly maxSkew: number; readonly minDomains: number; readonly domains: readonly string[] }
  /** At most one pod in a zone. */
  | { readonly kind: 'apart' }
  /** All pods in one zone. */
  | { readonly kind: 'together' };

export type AssignedZones =
  /** Zone by pod. */
  { readonly zones: readonly string[] } | { readonly problem: string };

/**
 * @param options zones in which each pod may run, at least one
 * @param priceOf what a pod costs in a zone, about: the cheapest zones are used most
 */
export function assignZones(options: readonly (readonly string[])[], rule: ZoneRule, priceOf: (zone: string) => number): AssignedZones {
  const byPrice = [...new Set(options.flat())].sort((a, b) => priceOf(a) - priceOf(b) || (a < b ? -1 : 1));
  if (rule.kind === 'together') {
    const zone = byPrice.find((each) => options.every((zones) => zones.includes(each)));
    return zone === undefined ? { problem: 'no zone takes all of its pods, which must be in one' } : { zones: options.map(() => zone) };
  }
  // A skew is of use where prices differ.
  const maxSkew = priceOf(byPrice[0] ?? '') === priceOf(byPrice.at(-1) ?? '') ? 1 : Infinity;
  const limits = rule.kind === 'apart' ? new Map(byPrice.map((zone) => [zone, 1])) : spreadLimits(options, rule, { byPrice, maxSkew });
  const zones = fewestFirst(options, limits, byPrice);
  if (zones === null) {
    const most = rule.kind === 'apart' ? 'at most one may be in a zone' : `the skew may be at most ${rule.maxSkew}`;
    return { problem: `its ${options.length} pods cannot be placed in ${byPrice.length} zones (${byPrice.join(', ')}), of which ${most}` };
  }
  if (rule.kind === 'spread' && !isSkewKept(zones, rule)) {
    return { problem: `its pods cannot be spread over the zones ${rule.domains.join(', ')} with a skew of at most ${rule.maxSkew}` };
  }
  return { zones };
}

/** Most pods by zone: balanced, with the cheapest zones above the others by up to `maxSkew`. */
function spreadLimits(
  options: readonly (readonly string[])[],
  { maxSkew: allowedSkew, minDomains, domains }: Extract<ZoneRule, { kind: 'spread' }>,
  { byPrice, maxSkew: usefulSkew }: { readonly byPrice: readonly string[]; readonly maxSkew: number },
): Map<string, number> {
  const isWithoutMinimum = domains.length < minDomains || domains.some((zone) => !byPrice.includes(zone));
  if (isWithoutMinimum) return new Map(byPrice.map((zone) => [zone, allowedSkew]));
  const isFree = options.every((zones) => zones.length === byPrice.length);
  // Pods that are bound to zones may leave no choice: the others fill up behind them.
  if (!isFree) return new Map(byPrice.map((zone) => [zone, Infinity]));
  const maxSkew = Math.min(allowedSkew, usefulSkew);
  const fewest = Math.max(0, Math.ceil((options.length - maxSkew * byPrice.length) / byPrice.length));
  let rest = options.length - fewest * byPrice.length;
  return new Map(
    byPrice.map((zone) => {
      const more = Math.max(0, Math.min(maxSkew, rest));
      rest -= more;
      return [zone, fewest + more];
    }),
  );
}

/** Pods with the fewest options first, each in the zone with the fewest pods, of equal ones the cheapest; null where a pod has none left. */
function fewestFirst(
  options: readonly (readonly string[])[],
  limits: ReadonlyMap<string, number>,
  byPrice: readonly string[],
): string[] | null {
  const zones = new Array<string>(options.length).fill('');
  const counts = new Map<string, number>();
  const order = [...options.keys()].sort((a, b) => (options[a]?.length ?? 0) - (options[b]?.length ?? 0) || a - b);
  for (const pod of order) {
    let best: string | null = null;
    for (const zone of byPrice) {
      const count = counts.get(zone) ?? 0;
      if (options[pod]?.includes(zone) !== true || count >= (limits.get(zone) ?? 0)) continue;
      if (best === null || count < (counts.get(best) ?? 0)) best = zone;
    }
    if (best === null) return null;
    counts.set(best, (counts.get(best) ?? 0) + 1);
    zones[pod] = best;
  }
  return zones;
}

function isSkewKept(zones: readonly string[], { maxSkew, minDomains, domains }: Extract<ZoneRule, { kind: 'spread' }>): boolean {
  const counts = new Map(domains.map((zone) => [zone, 0]));
  for (const zone of zones) counts.set(zone, (counts.get(zone) ?? 0) + 1);
  const fewest = domains.length < minDomains ? 0 : Math.min(...counts.values());
  return Math.max(...counts.values()) - fewest <= maxSkew;
}
