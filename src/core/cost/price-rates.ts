// Rates of CPU against memory, and of machine types without a list price.

/**
 * Price of one vCPU in units of one GiB of memory, by family. With it two rates reproduce every price of the family exactly.
 * c2, t2a and t2d have one proportion of vCPU to memory, so their prices do not determine it; they use the usual one.
 */
export const GIB_PER_VCPU_PRICE: ReadonlyMap<string, number> = new Map(
  Object.entries({
    e2: 7.46,
    n1: 7.46,
    n2: 7.46,
    n2d: 7.46,
    n4: 8.81,
    c2d: 7.47,
    c3: 8.8,
    c4: 8.8,
  }),
);

/** Default for other families: that of E2, N1, N2 and N2D. */
export const USUAL_GIB_PER_VCPU_PRICE = 7.46;

/** Rates for machine types without a list price: those of N2, the middle of the general-purpose families. */
export const ESTIMATE_RATES = { vcpuUsdPerHour: 0.031611, gibUsdPerHour: 0.004237, spotRatio: 0.45 };
