// Bounds the needed amount to a value that the cluster accepts, and to a temporary limit that nodes have capacity for.

import { containerCaps, tightestCap, type Cap } from '../../../model/limit-range.ts';
import type { ResourceName, Resources } from '#kube/records/resources';
import { MiB, type Ratio } from '#kube/units';
import { FIELD } from '../../model/container-values.ts';
import type { WorkloadSituation } from '../../model/situation.ts';

/** Share of a node's free capacity that overages may use; the rest is for other pods. */
const FREE_SHARE: Ratio = 0.8;
/** Dead band: a smaller raise is not worth a resize. */
const MIN_GAIN_RATIO: Ratio = 0.02;

/** A value in millicores or bytes, and the bound that caps it. */
export interface Capped {
  readonly value: number | null;
  readonly cappedBy: string | null;
}

/** The value to propose permanently: the needed amount, rounded, and bounded by LimitRanges and the largest node. */
export function proposedValue(
  situation: WorkloadSituation,
  container: string,
  resource: ResourceName,
  limit: number,
  needed: number,
): Capped {
  const caps = [...fixedCaps(situation, resource), ...rangeCaps(situation, container, resource)];
  return capped(limit, roundedUp(resource, needed), caps);
}

/**
 * The temporary limit: the proposed value, bounded by the policy's ratio and by the free capacity of the pods' nodes, which usage above
 * the requests needs.
 */
export function overageValue(situation: WorkloadSituation, resource: ResourceName, limit: number, proposed: number): Capped {
  const { policy } = situation;
  const within = { value: limit * policy.limitOverage.maxRatio, what: `limitOverage.maxRatio of ${policy.limitOverage.maxRatio}` };
  const { value, cappedBy } = capped(limit, proposed, [within, ...freeCaps(situation, resource, limit)]);
  return { value: value === null ? null : roundedDown(resource, value), cappedBy };
}

function fixedCaps({ limitRanges, largestNode }: WorkloadSituation, resource: ResourceName): readonly Cap[] {
  const field = FIELD[resource];
  const ranges = containerCaps(limitRanges, field);
  return largestNode === null ? ranges : [...ranges, { value: largestNode[field], what: 'the largest node' }];
}

/** Caps of a limit by LimitRanges, which depend on the container's request and on the other containers of its pod. */
function rangeCaps({ limitRanges, pods }: WorkloadSituation, name: string, resource: ResourceName): readonly Cap[] {
  const field = FIELD[resource];
  const [pod] = pods;
  const container = pod?.containers.find((each) => each.name === name);
  if (pod === undefined || container === undefined) return [];
  const request = container.requests[field];
  const others = pod.containers.reduce((sum, { limits }) => sum + (limits[field] ?? 0), 0) - (container.limits[field] ?? 0);
  return limitRanges.flatMap((range): Cap[] => {
    const ratio = range.maxLimitRequestRatio[resource];
    const whole = range.podMax?.[field] ?? null;
    return [
      ...(ratio === null || request === null || pod.qosClass === 'Guaranteed'
        ? []
        : [{ value: request * ratio, what: `LimitRange ${range.name} (limits of at most ${ratio} × the request)` }]),
      ...(whole === null ? [] : [{ value: whole - others, what: `LimitRange ${range.name} (maximum of a pod)` }]),
    ];
  });
}

function freeCaps({ pods, freeOnNodes }: WorkloadSituation, resource: ResourceName, limit: number): readonly Cap[] {
  const perNode = new Map<string, number>();
  for (const { node } of pods) if (node !== null) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  return [...perNode].flatMap(([node, count]): Cap[] => {
    const free: Resources | undefined = freeOnNodes.get(node);
    if (free === undefined) return [];
    return [{ value: limit + (Math.max(0, free[FIELD[resource]]) * FREE_SHARE) / count, what: `the free capacity of node ${node}` }];
  });
}

function capped(limit: number, wanted: number, caps: readonly Cap[]): Capped {
  const tightest = tightestCap(caps);
  const isCapped = tightest !== null && tightest.value < wanted;
  const value = isCapped ? tightest.value : wanted;
  return { value: value > limit * (1 + MIN_GAIN_RATIO) ? value : null, cappedBy: isCapped ? tightest.what : null };
}

function roundedUp(resource: ResourceName, value: number): number {
  const unit = resource === 'cpu' ? 10 : MiB;
  return Math.ceil(value / unit) * unit;
}

function roundedDown(resource: ResourceName, value: number): number {
  const unit = resource === 'cpu' ? 1 : MiB;
  return Math.floor(value / unit) * unit;
}
