// Requests of a pod spec as they are packed.

import { addAmounts, type Amounts, readAmounts, roundUp, type Sums } from '#kube/amounts';
import { readOverhead, readWholeRequests, sumContainers } from '#kube/pod-spec/pod-amounts';
import { parseQuantity } from '#kube/quantity';
import { MiB } from '#kube/units';
import { objectAt, objectsAt, type Wire } from '#kube/wire';
import { MAX_CPU_MILLICORES, MAX_GPUS, MAX_MEMORY_MIB } from './read-pods-csv.ts';

export const GPU = 'nvidia.com/gpu';
/** What a pools file does not state, and no node of a cloud is short of first. */
const NOT_PACKED = new Set(['ephemeral-storage']);

/** Requests of a container; of a limit alone, the API server takes it as the request. */
export function requestsOfContainer(container: Wire): Sums {
  const resources = objectAt(container, 'resources');
  return new Map([...readAmounts(objectAt(resources, 'limits')), ...readAmounts(objectAt(resources, 'requests'))]);
}

/** Requests of a pod. */
export function requestsOf(spec: Wire): Amounts {
  const sums = sumContainers(spec, requestsOfContainer, requestsOfContainer);
  if (Object.keys(objectAt(spec, 'resources', 'spec.resources')).length > 0) {
    for (const [resource, amount] of readWholeRequests(spec)) sums.set(resource, amount);
  }
  return roundUp(addAmounts(sums, readOverhead(spec)));
}

/** An amount as messages state it: two decimals, requests rounded up and what nodes offer rounded down, so that they compare as they do. */
export function statedAmount(amount: number, round: 'up' | 'down'): string {
  // A product such as 1.1 * 100 is off by the last digits.
  const hundredths = Number((amount * 100).toFixed(3));
  return String((round === 'up' ? Math.ceil(hundredths) : Math.floor(hundredths)) / 100);
}

/** What a packing counts of the requests. */
export function packedAmounts(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([resource]) => !NOT_PACKED.has(resource)));
}

/** Amounts that no machine has, and resources that pools do not state. */
export function amountProblems(amounts: Amounts): string[] {
  const most: Readonly<Record<string, number>> = { cpu: MAX_CPU_MILLICORES, memory: MAX_MEMORY_MIB * MiB, [GPU]: MAX_GPUS };
  return [...amounts].flatMap(([resource, amount]) => {
    const limit = most[resource];
    if (limit !== undefined) return amount > limit ? [`requests more ${resource} than any machine has; check its unit`] : [];
    return amount === 0 || NOT_PACKED.has(resource) ? [] : [`requests ${resource}, which the pools do not state; remove the request`];
  });
}

/** Quantities that are not valid or negative. */
export function quantityProblems(spec: Wire): string[] {
  const ofContainers = ['initContainers', 'containers'].flatMap((list) =>
    objectsAt(spec, list, `spec.${list}`).map((container, at) => ({ owner: container, path: `spec.${list}[${at}]` })),
  );
  const ofResources = [{ owner: spec, path: 'spec' }, ...ofContainers].flatMap(({ owner, path }) =>
    ['requests', 'limits'].map((kind) => ({ amounts: objectAt(objectAt(owner, 'resources'), kind), path: `${path}.resources.${kind}` })),
  );
  const all = [...ofResources, { amounts: objectAt(spec, 'overhead', 'spec.overhead'), path: 'spec.overhead' }];
  return all.flatMap(({ amounts, path }) =>
    Object.entries(amounts).flatMap(([resource, given]) => {
      const place = `${path}.${resource}`;
      if (typeof given !== 'string' && typeof given !== 'number') return [`${place}: must be a quantity such as 250m or 1Gi`];
      const parsed = parseQuantity(given);
      if (!parsed.ok) return [`${place}: ${JSON.stringify(given)} is not a quantity such as 250m or 1Gi`];
      return parsed.value.nano < 0n ? [`${place}: ${JSON.stringify(given)} is negative; it must be at least 0`] : [];
    }),
  );
}
