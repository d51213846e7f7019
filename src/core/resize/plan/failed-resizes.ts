// Resizes that the node would not or could not carry out: remembered, because trying again in vain would reserve what the pod
// cannot have once more.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits, ResourceName, Resources } from '#kube/records/resources';
import { podRequests } from '#kube/records/pod-requests';
import { DAY_MS, HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { FIELD, raisesAnything, RESOURCES, sameValues, withAmount, type Values } from '../model/container-values.ts';
import type { ContainerChange } from '../model/resize-step.ts';
import { NODE_PROPERTY_CODES, type RefusalCode } from '#kube/records/refusal-code';
import type { FailedResize, WorkloadSituation } from '../model/situation.ts';
import { concerns, maySwap, unsupportedByNode } from './node-support.ts';

/** How long the same is not tried again on the same pod, or in the same node pool. */
const RETRY_AFTER_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 6 * HOUR_MS,
  deferred: HOUR_MS,
  error: HOUR_MS,
};

/** As many as the schema holds. */
const MAX_FAILURES = 32;

/** What our own sum calls free the kubelet may not: a request that it defers again reserves room for nothing. */
const ROOM_SETTLES_MS: DurationMs = 10 * MINUTE_MS;

/**
 * The configuration of a kubelet changes rarely, mostly with its node or version: tried again after a day, then after twice as long each
 * time. Where it changes in place, nothing shows that raises would go through again: no wait is longer than 8 days.
 */
const RETRY_NODE_PROPERTY_AFTER_MS: DurationMs = DAY_MS;
const MAX_ATTEMPTS = 4;

/** Want of a permission is no fault of the pod's, and a person mends it at any moment. */
const RETRY_UNPERMITTED_AFTER_MS: DurationMs = 2 * MINUTE_MS;

/** Where a refusal counts: the nodes of a pool with one version of the kubelet, or those of one size; null: its pool is not known. */
export function poolOf({ node }: PodRecord, code: RefusalCode, nodePools: WorkloadSituation['nodePools']): string | null {
  const own = nodePools?.get(node ?? '');
  if (own === undefined) return null;
  return `${own.pool}/${NODE_PROPERTY_CODES.includes(code) ? own.kubeletVersion : own.size}`;
}

function countsFor(pod: PodRecord, failure: FailedResize, nodePools: WorkloadSituation['nodePools']): boolean {
  if (failure.pool === null) return failure.uid === pod.uid;
  if (!concerns(failure.code, pod)) return false;
  if (poolOf(pod, failure.code, nodePools) !== failure.pool) return false;
  return failure.since >= (nodePools?.get(pod.node ?? '')?.oldestNodeAt ?? 0);
}

/** What two failures of one reason have in common: the later one takes the place of the other. */
export function failureKey({ uid, pool, code, resource }: FailedResize): string {
  if (pool !== null) return `${pool} ${code} ${resource ?? ''}`;
  return resource === null ? uid : `${uid} ${resource}`;
}

/** The newest of those with one key. */
export function newestByKey(failures: readonly FailedResize[]): readonly FailedResize[] {
  const newest = new Map<string, FailedResize>();
  for (const failure of failures) newest.set(failureKey(failure), afterEarlier(failure, newest.get(failureKey(failure))));
  return [...newest.values()];
}

/** A refusal with its attempts, those of an earlier one with the same key included. */
export function afterEarlier(failure: FailedResize, earlier: FailedResize | undefined): FailedResize {
  if (earlier === undefined || !isOfNodeProperty(failure)) return failure;
  const attempts = (earlier.attempts ?? 1) + (failure.since >= retryAt(earlier) ? 1 : 0);
  return { ...failure, attempts: Math.min(MAX_ATTEMPTS, Math.max(failure.attempts ?? 1, attempts)) };
}

function isOfNodeProperty({ pool, code }: FailedResize): boolean {
  return pool !== null && NODE_PROPERTY_CODES.includes(code);
}

/** The newest of each pod until a resize of it goes through, and of each node pool until it may be tried again, or was. */
export function rememberFailures(
  failures: readonly FailedResize[],
  added: readonly FailedResize[],
  { pods, now, nodePools, nodesOfPods }: Pick<WorkloadSituation, 'pods' | 'now' | 'nodePools' | 'nodesOfPods'>,
): readonly FailedResize[] {
  const newest = newestByKey([...failures, ...added]);
  const isWanted = (failure: FailedResize): boolean =>
    now < rememberedUntil(failure) || pods.some((pod) => countsFor(pod, failure, nodePools) && exceedsNode(pod, failure, nodesOfPods));
  const ofPools = newest.filter((failure) => failure.pool !== null && isWanted(failure));
  return [
    ...ofPools,
    ...pods.flatMap((pod) => newest.filter((failure) => failure.pool === null && failure.uid === pod.uid && !isOver(failure, pod))),
  ];
}

/** What failed is in force, or another resize is that was tried since: until then the write-back alone came after it. */
function isOver(failure: FailedResize, { resize, resizedBy, containers }: PodRecord): boolean {
  if (resize.state !== 'none') return false;
  const inForce = containers.flatMap((container) => {
    const tried = failure.values.get(container.name);
    return tried === undefined || container.actual === null ? [] : [sameValues(tried, container.actual)];
  });
  if (inForce.length > 0 && inForce.every(Boolean)) return true;
  return inForce.length > 0 && resizedBy !== null && resizedBy.at >= retryAt(failure);
}

/** As many as are remembered for long: those of node pools, then the newest of a storm: what is left out is older than all of them. */
export function newestFailures(failures: readonly FailedResize[]): readonly FailedResize[] {
  if (failures.length <= MAX_FAILURES) return failures;
  const ofPool = ({ pool }: FailedResize): number => Number(pool !== null);
  const kept = new Set(failures.toSorted((a, b) => ofPool(b) - ofPool(a) || b.since - a.since).slice(0, MAX_FAILURES));
  return failures.filter((failure) => kept.has(failure));
}

/**
 * What is remembered of a pod. Where more have failed than are remembered, the oldest of these speaks for the pods that were
 * there already: they may have failed too, and no later.
 */
export function failureOf(
  { uid, createdAt }: Pick<PodRecord, 'uid' | 'createdAt'>,
  failures: readonly FailedResize[],
): FailedResize | undefined {
  const whole = failures.filter(({ pool, resource }) => pool === null && resource === null);
  const own = whole.find((each) => each.uid === uid);
  if (own !== undefined || failures.length < MAX_FAILURES) return own;
  if (whole.length === 0) return undefined;
  const oldest = whole.reduce((first, each) => (each.since < first.since ? each : first));
  return createdAt <= oldest.since ? oldest : undefined;
}

/** What a pod's node, or its pool, refuses for now of one resource; of what was short of capacity less may be tried. */
export function refusedResources(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  situation: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'poolRefusals' | 'now'>,
): readonly RefusedResource[] {
  const { nodePools } = situation;
  return knownFailures(situation).flatMap((failure) => {
    const { resource, code, values } = failure;
    if (resource === null || !countsFor(pod, failure, nodePools) || isDueAgain(pod, failure, situation)) return [];
    const changes = containers
      .filter(({ name, to }) => code !== 'swap' || pod.containers.some((each) => each.name === name && maySwap(each, to)))
      .map(({ name, from, to }) => ({ name, from: only(resource, from), to: only(resource, to) }));
    if (!changes.some(({ from, to }) => !sameValues(from, to))) return [];
    const tried: Values = new Map([...values].map(([name, each]) => [name, only(resource, each)]));
    const isRefused = NODE_PROPERTY_CODES.includes(code) || asksForNoMore(pod, tried, resource) || isAsMuch(changes, tried);
    return isRefused ? [{ resource, failure }] : [];
  });
}

/** With what other workloads have met in the same node pools. */
function knownFailures({ memory, poolRefusals = [] }: Pick<WorkloadSituation, 'memory' | 'poolRefusals'>): readonly FailedResize[] {
  if (poolRefusals.length === 0) return memory.failures;
  const byKey = new Map<string, FailedResize>();
  for (const failure of [...poolRefusals, ...memory.failures]) {
    const other = byKey.get(failureKey(failure));
    if (other === undefined || retryAt(failure) >= retryAt(other)) byKey.set(failureKey(failure), failure);
  }
  return [...byKey.values()];
}

export interface RefusedResource {
  readonly resource: ResourceName;
  readonly failure: FailedResize;
}

/** The values that a pod should have, with what is refused of them as the pod has it. */
export function withoutRefused(pod: PodRecord, values: Values, refused: readonly RefusedResource[]): Values {
  return new Map(
    [...values].map(([name, wanted]) => {
      const container = pod.containers.find((each) => each.name === name);
      if (container === undefined) return [name, wanted] as const;
      const kept = refused.reduce((each, { resource, failure }) => withoutResource(each, container, resource, failure.code), wanted);
      return [name, kept] as const;
    }),
  );
}

/** Of containers that may swap the kubelet changes the limit, though not the request. */
function withoutResource(wanted: RequestsAndLimits, has: ContainerRecord, resource: ResourceName, code: RefusalCode): RequestsAndLimits {
  if (code === 'swap' && !maySwap(has, wanted)) return wanted;
  const field = FIELD[resource];
  return {
    requests: withAmount(wanted.requests, resource, has.requests[field]),
    limits: code === 'swap' ? wanted.limits : withAmount(wanted.limits, resource, has.limits[field]),
  };
}

function only(resource: ResourceName, values: RequestsAndLimits): RequestsAndLimits {
  return RESOURCES.filter((each) => each !== resource).reduce(
    ({ requests, limits }, each) => ({ requests: withAmount(requests, each, null), limits: withAmount(limits, each, null) }),
    { requests: values.requests, limits: values.limits },
  );
}

/** Whether changes raise anything to what was tried in vain, or past it. */
function isAsMuch(changes: readonly ContainerChange[], tried: Values): boolean {
  if (!changes.some(({ from, to }) => raisesAnything(from, to))) return false;
  return !changes.every(({ name, to }) => {
    const before = tried.get(name);
    return before === undefined || (!raisesAnything(before, to) && !sameValues(before, to));
  });
}

/** The failure that forbids these changes as a whole for now; null: they may be tried. What asks for less than what failed may. */
export function forbiddingFailure(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  situation: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'poolRefusals' | 'now' | 'freeOnNodes'>,
): FailedResize | null {
  const { memory, nodePools, now, freeOnNodes } = situation;
  const noResize = knownFailures(situation).find(
    (each) => each.code === 'no-resize' && each.pool !== null && now < retryAt(each) && countsFor(pod, each, nodePools),
  );
  if (noResize !== undefined) return noResize;
  const failure = failureOf(pod, memory.failures);
  if (failure === undefined || isDueAgain(pod, failure, situation) || hasCapacityNow(pod, containers, failure, now, freeOnNodes))
    return null;
  // What the server itself refused it refuses whichever way it goes. So does a node that said no to less than the pod has:
  // its reason is another than room (static CPU management, say).
  if (failure.state === 'error' || asksForNoMore(pod, failure.values)) return failure;
  return isAsMuch(containers, failure.values) ? failure : null;
}

/** Whether what failed was to raise nothing over what the pod has in force. */
function asksForNoMore({ containers }: PodRecord, values: Values, resource: ResourceName | null = null): boolean {
  return containers.every((container) => {
    const tried = values.get(container.name);
    const actual = container.actual ?? container;
    return tried === undefined || !raisesAnything(resource === null ? actual : only(resource, actual), tried);
  });
}

/** Whether the pod's node resizes no CPU of it, whatever the amount. */
export function refusesCpu(pod: PodRecord, situation: WorkloadSituation): boolean {
  const { nodePools, now } = situation;
  if (unsupportedByNode(pod, situation) !== null) return true;
  return knownFailures(situation).some(
    (failure) =>
      (failure.code === 'cpu-manager' || failure.code === 'no-resize') && now < retryAt(failure) && countsFor(pod, failure, nodePools),
  );
}

/** The resize of the pod, or of others in its node pool, that its node has no room for; the latest. */
export function capacityRefusal(
  pod: PodRecord,
  {
    memory,
    nodePools,
  }: { readonly memory: Pick<WorkloadSituation['memory'], 'failures'>; readonly nodePools: WorkloadSituation['nodePools'] },
): FailedResize | undefined {
  const ofResources = memory.failures.filter(({ pool, resource }) => pool !== null || resource !== null);
  const all = [failureOf(pod, memory.failures), ...ofResources.filter((failure) => countsFor(pod, failure, nodePools))];
  return all.flatMap((each) => (each?.code === 'node-capacity' ? [each] : [])).toSorted((a, b) => b.since - a.since)[0];
}

/** What forbade a resize of the pod, or of a part of it, last. A pod that was created since is not the one that was refused. */
export function lastRefusal(
  pod: PodRecord,
  { memory, nodePools, nodesOfPods, now }: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'now'>,
): FailedResize | undefined {
  const isInForce = (failure: FailedResize): boolean => isCurrent(failure, now) || exceedsNode(pod, failure, nodesOfPods);
  return memory.failures
    .filter((failure) => pod.createdAt <= failure.since && countsFor(pod, failure, nodePools) && isInForce(failure))
    .toSorted((a, b) => b.since - a.since)[0];
}

/** A node that was short of room has enough of it by now: no reason to wait out the hour. */
function hasCapacityNow(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  failure: FailedResize,
  now: Instant,
  freeOnNodes: ReadonlyMap<string, Resources>,
): boolean {
  const free = freeOnNodes.get(pod.node ?? '');
  if (failure.state !== 'deferred' || free === undefined || now - failure.since < ROOM_SETTLES_MS) return false;
  const more = (of: (amounts: OptionalResources) => number | null): number =>
    containers.reduce((sum, { from, to }) => sum + Math.max(0, (of(to.requests) ?? 0) - (of(from.requests) ?? 0)), 0);
  return more(({ cpuMillicores }) => cpuMillicores) <= free.cpuMillicores && more(({ memoryBytes }) => memoryBytes) <= free.memoryBytes;
}

function isDueAgain(pod: PodRecord, failure: FailedResize, { now, nodesOfPods }: Pick<WorkloadSituation, 'now' | 'nodesOfPods'>): boolean {
  return now >= retryAt(failure) && !exceedsNode(pod, failure, nodesOfPods);
}

/** Whether the kubelet called it infeasible, and it asks for more than the pod's node has at all: no time makes that possible. */
function exceedsNode(pod: PodRecord, { code, state, values }: FailedResize, nodesOfPods: WorkloadSituation['nodesOfPods']): boolean {
  const allocatable = nodesOfPods?.get(pod.node ?? '');
  if (code !== 'node-capacity' || state !== 'infeasible' || allocatable === undefined) return false;
  const requested = podRequests(pod, (container) => values.get(container.name)?.requests ?? container.requests);
  return RESOURCES.some((resource) => requested[FIELD[resource]] > allocatable[FIELD[resource]]);
}

/** When the same may be tried again, where it may be at all. */
export function retryAt(failure: FailedResize): Instant {
  return failure.since + retryAfter(failure);
}

/** Not one of a node pool that may be tried again, which is remembered for its attempts alone. */
export function isCurrent(failure: FailedResize, now: Instant): boolean {
  return failure.pool === null || now < retryAt(failure);
}

/** Where it is tried again in vain, the next wait is longer: until then the number of attempts is needed. */
export function rememberedUntil(failure: FailedResize): Instant {
  return retryAt(failure) + (isOfNodeProperty(failure) ? retryAfter(failure) : 0);
}

function retryAfter({ code, state, attempts = 1 }: FailedResize): DurationMs {
  if (code === 'permission') return RETRY_UNPERMITTED_AFTER_MS;
  return NODE_PROPERTY_CODES.includes(code) ? RETRY_NODE_PROPERTY_AFTER_MS * 2 ** (attempts - 1) : RETRY_AFTER_MS[state];
}
