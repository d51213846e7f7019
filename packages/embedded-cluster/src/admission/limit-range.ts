import { ApiStatusError } from '../api/api-error.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { StrategyContext } from '../api/strategy.ts';
import type { Quantity } from '#kube/read-quantity';
import type { Pod, ResourceList, WireResources } from '../controllers/wire/pod.ts';
import { amountOf, writeAmount } from './amounts.ts';
import { placedContainers } from './pod/pod-containers.ts';
import { podAmount } from './pod/pod-requests.ts';

interface LimitRangeItem {
  readonly type: string;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly min?: ResourceList;
  readonly max?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** Sets missing requests and limits of containers from the namespace's LimitRanges, and adds an annotation about them. */
export function defaultFromLimitRanges(pod: Pod, context: StrategyContext): void {
  const notes: string[] = [];
  for (const item of limitItems(pod, context)) {
    if (item.type !== 'Container') continue;
    for (const { container, isInit } of placedContainers(pod.spec)) {
      const resources: WireResources = container.resources ?? {};
      const limits = findMissingDefaults(resources.limits, item.default);
      const requests = findMissingDefaults(resources.requests, item.defaultRequest ?? item.default);
      if (limits.length + requests.length === 0) continue;
      if (limits.length > 0) resources.limits = { ...Object.fromEntries(limits), ...resources.limits };
      if (requests.length > 0) resources.requests = { ...Object.fromEntries(requests), ...resources.requests };
      container.resources = resources;
      const where = `${isInit ? 'init container' : 'container'} ${container.name}`;
      if (requests.length > 0) notes.push(`${namesOf(requests)} request for ${where}`);
      if (limits.length > 0) notes.push(`${namesOf(limits)} limit for ${where}`);
    }
  }
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
}

/** Throws ApiStatusError 403 that names every bound that the pod violates. */
export function checkLimitRanges(pod: Pod, context: StrategyContext): void {
  const refusals: string[] = [];
  for (const item of limitItems(pod, context)) {
    if (item.type === 'Container') {
      for (const { container } of placedContainers(pod.spec)) {
        refusals.push(...boundsBroken(item, (side, resource) => amountOf(container.resources?.[side], resource)));
      }
    } else if (item.type === 'Pod') refusals.push(...boundsBroken(item, (side, resource) => podAmount(pod, side, resource)));
  }
  refuse('pods', pod, refusals);
}

/** Checks the bounds on the storage request of a claim. Throws ApiStatusError 403. */
export function checkClaimLimits(claim: KubeObject, context: StrategyContext): void {
  const { resources } = claim['spec'] as { resources?: WireResources };
  const refusals = limitItems(claim, context)
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((item) =>
      boundsBroken(item, (side, resource) => (side === 'requests' ? amountOf(resources?.requests, resource) : undefined), true),
    );
  refuse('persistentvolumeclaims', claim, refusals);
}

function limitItems(object: KubeObject, { cluster }: StrategyContext): LimitRangeItem[] {
  const ranges = cluster.list('limitranges', { namespace: object.metadata.namespace ?? '' });
  return ranges.flatMap((range) => (range['spec'] as { limits?: LimitRangeItem[] } | undefined)?.limits ?? []);
}

type AmountOf = (side: 'requests' | 'limits', resource: string) => Quantity | undefined;

function boundsBroken(item: LimitRangeItem, amount: AmountOf, requestsAlone = false): string[] {
  return [...minimaBroken(item, amount), ...maximaBroken(item, amount, requestsAlone), ...ratiosBroken(item, amount)];
}

function minimaBroken(item: LimitRangeItem, amount: AmountOf): string[] {
  return Object.entries(item.min ?? {}).flatMap(([resource, text]) => {
    const min = amountOf(item.min, resource)?.nano ?? 0n;
    const request = amount('requests', resource);
    const limit = amount('limits', resource);
    const bound = `minimum ${resource} usage per ${item.type} is ${text}`;
    // One error per bound, as in the API server.
    if (request === undefined) return [`${bound}. No request is specified`];
    if (request.nano < min) return [`${bound}, but request is ${writeAmount(request)}`];
    return limit !== undefined && limit.nano < min ? [`${bound}, but limit is ${writeAmount(limit)}`] : [];
  });
}

function maximaBroken(item: LimitRangeItem, amount: AmountOf, requestsAlone: boolean): string[] {
  return Object.entries(item.max ?? {}).flatMap(([resource, text]) => {
    const max = amountOf(item.max, resource)?.nano ?? 0n;
    const request = amount('requests', resource);
    const limit = amount('limits', resource);
    const bound = `maximum ${resource} usage per ${item.type} is ${text}`;
    if (limit === undefined && !requestsAlone) return [`${bound}. No limit is specified`];
    if (limit !== undefined && limit.nano > max) return [`${bound}, but limit is ${writeAmount(limit)}`];
    return request !== undefined && request.nano > max ? [`${bound}, but request is ${writeAmount(request)}`] : [];
  });
}

function ratiosBroken(item: LimitRangeItem, amount: AmountOf): string[] {
  return Object.entries(item.maxLimitRequestRatio ?? {}).flatMap(([resource, text]) => {
    const request = amount('requests', resource)?.nano ?? 0n;
    const limit = amount('limits', resource)?.nano ?? 0n;
    const bound = `${resource} max limit to request ratio per ${item.type} is ${text}`;
    if (request === 0n) return [`${bound}, but no request is specified or request is 0`];
    if (limit === 0n) return [`${bound}, but no limit is specified or limit is 0`];
    const ratio = Number(limit) / Number(request);
    return ratio > Number(amountOf(item.maxLimitRequestRatio, resource)?.nano ?? 0n) / 1e9
      ? [`${bound}, but provided ratio is ${ratio.toFixed(6)}`]
      : [];
  });
}

function refuse(plural: string, object: KubeObject, refusals: readonly string[]): void {
  if (refusals.length === 0) return;
  const { name } = object.metadata;
  const words = refusals.length === 1 ? (refusals[0] ?? '') : `[${refusals.join(', ')}]`;
  throw new ApiStatusError(403, 'Forbidden', `${plural} "${name}" is forbidden: ${words}`, { name, kind: plural });
}

function findMissingDefaults(list: ResourceList | undefined, defaults: ResourceList | undefined): [string, string][] {
  return Object.entries(defaults ?? {}).filter(([resource]) => list?.[resource] === undefined);
}

function namesOf(entries: readonly [string, string][]): string {
  return entries
    .map(([resource]) => resource)
    .sort()
    .join(', ');
}
