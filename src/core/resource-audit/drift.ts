// Differences between running and deployed sizes of a container, by their origin.

import { withDefaults, type RequestsAndLimits } from '#kube/records/resources';

/**
 * - `none`: every pod has the values of the template.
 * - `resized`: every pod has the same values from Evenkeel, and they are the recommended ones.
 * - `stale`: every pod has the same values from Evenkeel, and others are recommended now.
 * - `partial`: pods have different values: a change or roll-out is in progress or stopped.
 * - `manual`: a pod has a value that is neither from the template nor from Evenkeel.
 */
export const DRIFTS = ['none', 'resized', 'stale', 'partial', 'manual'] as const;
/** One of `DRIFTS`. */
export type Drift = (typeof DRIFTS)[number];

/** Deployed, recommended and running sizes of one container. */
export interface ContainerSizes {
  /** null: not in the template, since admission adds the container. */
  readonly template: RequestsAndLimits | null;
  /** Whether a LimitRange may set values that the template omits. */
  readonly defaultsFilledIn: boolean;
  /** null: nothing is recommended. */
  readonly recommended: RequestsAndLimits | null;
  /** Whether the pods are within the tolerance of the recommendation. */
  readonly settled: boolean;
  /** All recorded values that Evenkeel has set or is setting. */
  readonly ours: readonly RequestsAndLimits[];
  readonly pods: readonly RequestsAndLimits[];
}

type Origin = 'template' | 'ours' | 'other';

/** Drift of one container. */
export function findDrift(sizes: ContainerSizes): Drift {
  const { pods, recommended, settled } = sizes;
  const origins = new Set(pods.map((pod) => originOf(sizes, pod)));
  if (origins.has('other')) return 'manual';
  if (!origins.has('ours')) return 'none';
  const [first, ...others] = pods;
  if (origins.size > 1 || first === undefined || others.some((pod) => !hasSameValues(pod, first))) return 'partial';
  return recommended === null || settled || hasRecommended(recommended, first) ? 'resized' : 'stale';
}

/** The most severe drift, in the order of `DRIFTS`. */
export function worstDrift(drifts: readonly Drift[]): Drift {
  return DRIFTS.findLast((drift) => drifts.includes(drift)) ?? 'none';
}

/** Origin of a pod's values, value by value: a pod may have only a part of a change. */
function originOf({ template, defaultsFilledIn, ours }: ContainerSizes, pod: RequestsAndLimits): Origin {
  const created = template === null ? pod : asCreated(template, pod, defaultsFilledIn);
  let origin: Origin = 'template';
  for (const side of ['requests', 'limits'] as const) {
    for (const field of ['cpuMillicores', 'memoryBytes'] as const) {
      const value = pod[side][field];
      if (template !== null && value === created[side][field]) continue;
      if (ours.some((values) => value !== null && values[side][field] === value)) origin = 'ours';
      else if (template !== null) return 'other';
    }
  }
  return origin;
}

/** The template with the defaults of the API server: an absent request equals its limit, and a LimitRange sets the rest. */
function asCreated(template: RequestsAndLimits, pod: RequestsAndLimits, defaultsFilledIn: boolean): RequestsAndLimits {
  const limits = defaultsFilledIn ? withDefaults(template.limits, pod.limits) : template.limits;
  const requests = withDefaults(template.requests, template.limits);
  return { requests: defaultsFilledIn ? withDefaults(requests, pod.requests) : requests, limits };
}

/** Whether a pod has all recommended values. */
function hasRecommended(recommended: RequestsAndLimits, pod: RequestsAndLimits): boolean {
  const desired: RequestsAndLimits = {
    requests: withDefaults(recommended.requests, pod.requests),
    limits: withDefaults(recommended.limits, pod.limits),
  };
  return hasSameValues(desired, pod);
}

function hasSameValues(a: RequestsAndLimits, b: RequestsAndLimits): boolean {
  return (['requests', 'limits'] as const).every((side) =>
    (['cpuMillicores', 'memoryBytes'] as const).every((field) => a[side][field] === b[side][field]),
  );
}
