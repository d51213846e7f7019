// Picks the fields of `/stats/summary` that are read. A page has megabytes, and data is copied between threads.

import type { PageBounds } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';

/** A scalar: any value without fields. */
const VALUE = null;
type Shape = typeof VALUE | readonly [Shape] | { readonly [field: string]: Shape };

const PRESSURE = { some: { total: VALUE, avg300: VALUE } };
/** The fields that `readStatsSummary` reads. */
const FIELDS: Shape = {
  node: { cpu: { psi: PRESSURE }, memory: { psi: PRESSURE } },
  pods: [
    {
      podRef: { namespace: VALUE, name: VALUE },
      volume: [{ time: VALUE, usedBytes: VALUE, capacityBytes: VALUE, pvcRef: { name: VALUE } }],
      containers: [{ name: VALUE, cpu: { psi: PRESSURE }, memory: { rssBytes: VALUE, psi: PRESSURE } }],
      network: { time: VALUE, rxBytes: VALUE },
    },
  ],
};
/** Pods, containers and volumes per allowed container: a pod has about as many volumes as containers. */
const ITEMS_PER_CONTAINER = 2;

/**
 * Returns the page reduced to the fields that `readStatsSummary` reads. A value of an unexpected type keeps its type without content, so
 * that decoding fails with the same message.
 * @throws PageTooLarge where the page has more pods, containers and volumes than the pods of its node account for
 */
export function pickSummaryFields(json: unknown, { maxContainers }: Pick<PageBounds, 'maxContainers'>): unknown {
  const maxItems = ITEMS_PER_CONTAINER * maxContainers;
  let items = 0;
  const pick = (value: unknown, shape: Shape): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      if (!isList(shape)) return [];
      items += value.length;
      if (items > maxItems) throw new PageTooLarge(`the page has more than ${maxItems} pods, containers and volumes`);
      return value.map((item) => pick(item, shape[0]));
    }
    if (shape === VALUE || isList(shape)) return {};
    const fields = Object.entries(shape).filter(([field]) => Object.hasOwn(value, field));
    return Object.fromEntries(fields.map(([field, of]) => [field, pick((value as Readonly<Record<string, unknown>>)[field], of)]));
  };
  return pick(json, FIELDS);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
