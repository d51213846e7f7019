// How what runs differs from what was deployed, container by container, and by whose hand.

import { withDefaults, type RequestsAndLimits } from '#kube/records/resources';

/**
 * - `none`: every pod has what the template gives it.
 * - `resized`: every pod has the same values of Evenkeel's, and they are still what is recommended.
 * - `stale`: every pod has the same values of Evenkeel's, and by now others are recommended.
 * - `partial`: pods differ among each other: a change or a roll-out is under way, or stopped half-way.
 * - `manual`: a pod has a value that neither the template nor Evenkeel gave it.
 */
export const DRIFTS = ['none', 'resized', 'stale', 'partial', 'manual'] as const;
export type Drift = (typeof DRIFTS)[number];

export interface ContainerSizes {
  /** null: not in the template; admission adds it. */
  readonly template: RequestsAndLimits | null;
  /** Admission may fill in what the template leaves out (a LimitRange). */
  readonly defaultsFilledIn: boolean;
  /** null: nothing is recommended. */
  readonly recommended: RequestsAndLimits | null;
  /** The pods are inside of the recommendation's tolerance, whatever the last digit says. */
  readonly settled: boolean;
  /** Every value that Evenkeel remembers to have given, or is giving. */
  readonly ours: readonly RequestsAndLimits[];
  readonly pods: readonly RequestsAndLimits[];
}

type Origin = 'template' | 'ours' | 'other';

export function driftOf(sizes: ContainerSizes): Drift {
  const { pods, recommended, settled } = sizes;
  const origins = new Set(pods.map((pod) => originOf(sizes, pod)));
  if (origins.has('other')) return 'manual';
  if (!origins.has('ours')) return 'none';
  const [first, ...others] = pods;
  if (origins.size > 1 || first === undefined || others.some((pod) => !sameValues(pod, first))) return 'partial';
  return recommended === null || settled || holds(recommended, first) ? 'resized' : 'stale';
}

/** The more of it there is to look at, the later in this order. */
export function worstDrift(drifts: readonly Drift[]): Drift {
  return DRIFTS.findLast((drift) => drifts.includes(drift)) ?? 'none';
}

/** Each number by itself: a pod that could take a part of a change alone has the rest from before. */
function originOf({ template, defaultsFilledIn, ours }: ContainerSizes, pod: RequestsAndLimits): Origin {
  const created = template === null ? pod : asCreated(template, pod, defaultsFilledIn);
  let origin: Origin = 'template';
  for (const side of ['requests', 'limits'] as const) {
    for (const field of ['cpuMillicores', 'memoryBytes'] as const) {
      const value = pod[side][field];
      if (template !== null && value === created[side][field]) continue;
      if (ours.some((given) => value !== null && given[side][field] === value)) origin = 'ours';
      else if (template !== null) return 'other';
    }
  }
  return origin;
}

/** The template as it looks in a pod: a request that is missing beside a limit equals it, and a LimitRange fills in the rest. */
function asCreated(template: RequestsAndLimits, pod: RequestsAndLimits, defaultsFilledIn: boolean): RequestsAndLimits {
  const limits = defaultsFilledIn ? withDefaults(template.limits, pod.limits) : template.limits;
  const beside = withDefaults(template.requests, template.limits);
  return { requests: defaultsFilledIn ? withDefaults(beside, pod.requests) : beside, limits };
}

/** Whether a pod has what is recommended, as far as anything is. */
function holds(recommended: RequestsAndLimits, pod: RequestsAndLimits): boolean {
  const wanted: RequestsAndLimits = {
    requests: withDefaults(recommended.requests, pod.requests),
    limits: withDefaults(recommended.limits, pod.limits),
  };
  return sameValues(wanted, pod);
}

function sameValues(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return (['requests', 'limits'] as const).every((side) =>
    (['cpuMillicores', 'memoryBytes'] as const).every((field) => a[side][field] === b[side][field]),
  );
}
