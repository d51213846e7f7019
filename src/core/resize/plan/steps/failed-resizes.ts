// Stores resizes that nodes refused or did not actuate: a retry would reserve again what the pod cannot get.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import type { OptionalResources, RequestsAndLimits, ResourceName, Resources } from '#kube/records/resources';
import { podRequests } from '#kube/records/pod-requests';
import { DAY_MS, HOUR_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { FIELD, hasIncrease, RESOURCES, hasSameValues, withAmount, type Values } from '../../model/container-values.ts';
import type { ContainerChange } from '../../model/resize-step.ts';
import { NODE_PROPERTY_CODES, type RefusalCode } from '#kube/records/refusal-code';
import type { FailedResize, WorkloadSituation } from '../../model/situation.ts';
import { isAffectedBy, canSwap, unsupportedByNode } from '../pod/node-support.ts';

/** Time before the same resize is retried on the same pod, or in the same node pool. */
const RETRY_AFTER_MS: Readonly<Record<FailedResize['state'], DurationMs>> = {
  infeasible: 6 * HOUR_MS,
  deferred: HOUR_MS,
  error: HOUR_MS,
};

/** Maximum number of items by the schema of the Recommendation's status. */
const MAX_FAILURES = 32;

/**
 * Time before a deferred resize is retried although the node has free capacity by our sum, which the kubelet's may not match: a
 * request that is deferred again reserves capacity in vain.
 */
const CAPACITY_SETTLES_MS: DurationMs = 10 * MINUTE_MS;

/**
 * Back-off for refusals by a kubelet's configuration, which changes rarely and mostly with its node or version: a day, doubled at each
 * attempt up to 8 days. A configuration that is changed in place is only noticed by a retry.
 */
const RETRY_NODE_PROPERTY_AFTER_MS: DurationMs = DAY_MS;
const MAX_ATTEMPTS = 4;

/** A missing permission may be granted at any moment. */
const RETRY_UNPERMITTED_AFTER_MS: DurationMs = 2 * MINUTE_MS;

/** Key of the nodes to which a refusal applies: those of the pool with the same kubelet version, or with the same size; null: pool unknown. */
export function poolOf({ node }: PodRecord, code: RefusalCode, nodePools: WorkloadSituation['nodePools']): string | null {
  const nodePool = nodePools?.get(node ?? '');
  if (nodePool === undefined) return null;
  return `${nodePool.pool}/${NODE_PROPERTY_CODES.includes(code) ? nodePool.kubeletVersion : nodePool.size}`;
}

function isApplicable(pod: PodRecord, failure: FailedResize, nodePools: WorkloadSituation['nodePools']): boolean {
  if (failure.pool === null) return failure.uid === pod.uid;
  if (!isAffectedBy(failure.code, pod)) return false;
  if (poolOf(pod, failure.code, nodePools) !== failure.pool) return false;
  return failure.since >= (nodePools?.get(pod.node ?? '')?.oldestNodeAt ?? 0);
}

/** Key of a failure: a later failure with the same key replaces it. */
export function failureKey({ uid, pool, code, resource }: FailedResize): string {
  if (pool !== null) return `${pool} ${code} ${resource ?? ''}`;
  return resource === null ? uid : `${uid} ${resource}`;
}

/** The newest failure of each key. */
export function newestByKey(failures: readonly FailedResize[]): readonly FailedResize[] {
  const newest = new Map<string, FailedResize>();
  for (const failure of failures) newest.set(failureKey(failure), mergeFailures(failure, newest.get(failureKey(failure))));
  return [...newest.values()];
}

/** A refusal with the number of attempts, including those of an earlier refusal with the same key. */
export function mergeFailures(failure: FailedResize, earlier: FailedResize | undefined): FailedResize {
  if (earlier === undefined || !isOfNodeProperty(failure)) return failure;
  const attempts = (earlier.attempts ?? 1) + (failure.since >= retryAt(earlier) ? 1 : 0);
  return { ...failure, attempts: Math.min(MAX_ATTEMPTS, Math.max(failure.attempts ?? 1, attempts)) };
}

function isOfNodeProperty({ pool, code }: FailedResize): boolean {
  return pool !== null && NODE_PROPERTY_CODES.includes(code);
}

/** The failures to store: the newest of each pod until a resize of it succeeds, and of each node pool until its retry. */
export function recordFailures(
  failures: readonly FailedResize[],
  added: readonly FailedResize[],
  { pods, now, nodePools, nodesOfPods }: Pick<WorkloadSituation, 'pods' | 'now' | 'nodePools' | 'nodesOfPods'>,
): readonly FailedResize[] {
  const newest = newestByKey([...failures, ...added]);
  const isRetained = (failure: FailedResize): boolean =>
    now < retainedUntil(failure) || pods.some((pod) => isApplicable(pod, failure, nodePools) && isAboveNode(pod, failure, nodesOfPods));
  const ofPools = newest.filter((failure) => failure.pool !== null && isRetained(failure));
  return [
    ...ofPools,
    ...pods.flatMap((pod) => newest.filter((failure) => failure.pool === null && failure.uid === pod.uid && !isObsolete(failure, pod))),
  ];
}

/** Whether a failure of a pod is obsolete: the values that failed are in force, or a later resize than its revert is. */
function isObsolete(failure: FailedResize, { resize, resizedBy, containers }: PodRecord): boolean {
  if (resize.state !== 'none') return false;
  const inForce = containers.flatMap((container) => {
    const failedValues = failure.values.get(container.name);
    return failedValues === undefined || container.actual === null ? [] : [hasSameValues(failedValues, container.actual)];
  });
  if (inForce.length > 0 && inForce.every(Boolean)) return true;
  return inForce.length > 0 && resizedBy !== null && resizedBy.at >= retryAt(failure);
}

/** At most `MAX_FAILURES`: those of node pools first, then the newest. Dropped ones are older than all stored ones of pods. */
export function newestFailures(failures: readonly FailedResize[]): readonly FailedResize[] {
  if (failures.length <= MAX_FAILURES) return failures;
  const ofPool = ({ pool }: FailedResize): number => Number(pool !== null);
  const newest = new Set(failures.toSorted((a, b) => ofPool(b) - ofPool(a) || b.since - a.since).slice(0, MAX_FAILURES));
  return failures.filter((failure) => newest.has(failure));
}

/**
 * The stored failure of a pod. Where the maximum number is stored, the oldest also applies to pods that existed then: their failures
 * may have been dropped.
 */
export function findFailure(
  { uid, createdAt }: Pick<PodRecord, 'uid' | 'createdAt'>,
  failures: readonly FailedResize[],
): FailedResize | undefined {
  const ofWholePods = failures.filter(({ pool, resource }) => pool === null && resource === null);
  const ofPod = ofWholePods.find((each) => each.uid === uid);
  if (ofPod !== undefined || failures.length < MAX_FAILURES) return ofPod;
  if (ofWholePods.length === 0) return undefined;
  const oldest = ofWholePods.reduce((first, each) => (each.since < first.since ? each : first));
  return createdAt <= oldest.since ? oldest : undefined;
}

/** Resources for which the pod's node or pool refuses these changes for now. After `node-capacity` a smaller raise may be tried. */
export function refusedResources(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  situation: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'poolRefusals' | 'now'>,
): readonly RefusedResource[] {
  const { nodePools } = situation;
  return listKnownFailures(situation).flatMap((failure) => {
    const { resource, code, values } = failure;
    if (resource === null || !isApplicable(pod, failure, nodePools) || isDueAgain(pod, failure, situation)) return [];
    const changes = containers
      .filter(({ name, to }) => code !== 'swap' || pod.containers.some((each) => each.name === name && canSwap(each, to)))
      .map(({ name, from, to }) => ({ name, from: onlyResource(resource, from), to: onlyResource(resource, to) }));
    if (!changes.some(({ from, to }) => !hasSameValues(from, to))) return [];
    const failedValues: Values = new Map([...values].map(([name, each]) => [name, onlyResource(resource, each)]));
    const isRefused =
      NODE_PROPERTY_CODES.includes(code) || hasNoRaise(pod, failedValues, resource) || isRaisedAsMuch(changes, failedValues);
    return isRefused ? [{ resource, failure }] : [];
  });
}

/** Failures of this workload and refusals of other workloads in the same node pools, the later retry of each key. */
function listKnownFailures({ memory, poolRefusals = [] }: Pick<WorkloadSituation, 'memory' | 'poolRefusals'>): readonly FailedResize[] {
  if (poolRefusals.length === 0) return memory.failures;
  const byKey = new Map<string, FailedResize>();
  for (const failure of [...poolRefusals, ...memory.failures]) {
    const other = byKey.get(failureKey(failure));
    if (other === undefined || retryAt(failure) >= retryAt(other)) byKey.set(failureKey(failure), failure);
  }
  return [...byKey.values()];
}

/** A resource that a node refuses to change, with the refusal. */
export interface RefusedResource {
  readonly resource: ResourceName;
  readonly failure: FailedResize;
}

/** The wanted values of a pod, where refused resources keep the pod's present values. */
export function withoutRefused(pod: PodRecord, values: Values, refused: readonly RefusedResource[]): Values {
  return new Map(
    [...values].map(([name, wanted]) => {
      const container = pod.containers.find((each) => each.name === name);
      if (container === undefined) return [name, wanted] as const;
      const allowed = refused.reduce((each, { resource, failure }) => withoutResource(each, container, resource, failure.code), wanted);
      return [name, allowed] as const;
    }),
  );
}

/** With code `swap` the kubelet refuses to change the memory request, but not the limit. */
function withoutResource(wanted: RequestsAndLimits, has: ContainerRecord, resource: ResourceName, code: RefusalCode): RequestsAndLimits {
  if (code === 'swap' && !canSwap(has, wanted)) return wanted;
  const field = FIELD[resource];
  return {
    requests: withAmount(wanted.requests, resource, has.requests[field]),
    limits: code === 'swap' ? wanted.limits : withAmount(wanted.limits, resource, has.limits[field]),
  };
}

function onlyResource(resource: ResourceName, values: RequestsAndLimits): RequestsAndLimits {
  return RESOURCES.filter((each) => each !== resource).reduce(
    ({ requests, limits }, each) => ({ requests: withAmount(requests, each, null), limits: withAmount(limits, each, null) }),
    { requests: values.requests, limits: values.limits },
  );
}

/** Whether changes raise any amount to the values that failed, or above them. */
function isRaisedAsMuch(changes: readonly ContainerChange[], failedValues: Values): boolean {
  if (!changes.some(({ from, to }) => hasIncrease(from, to))) return false;
  return !changes.every(({ name, to }) => {
    const before = failedValues.get(name);
    return before === undefined || (!hasIncrease(before, to) && !hasSameValues(before, to));
  });
}

/** The failure that forbids these changes completely for now; null: they may be tried, for example with smaller amounts. */
export function findForbiddingFailure(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  situation: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'poolRefusals' | 'now' | 'freeOnNodes'>,
): FailedResize | null {
  const { memory, nodePools, now, freeOnNodes } = situation;
  const noResize = listKnownFailures(situation).find(
    (each) => each.code === 'no-resize' && each.pool !== null && now < retryAt(each) && isApplicable(pod, each, nodePools),
  );
  if (noResize !== undefined) return noResize;
  const failure = findFailure(pod, memory.failures);
  if (failure === undefined || isDueAgain(pod, failure, situation) || hasCapacityNow(pod, containers, failure, now, freeOnNodes))
    return null;
  // A resize that the API server refused is refused in any direction. So is one that the node refused although it raised nothing:
  // the reason is not capacity but, for example, static CPU management.
  if (failure.state === 'error' || hasNoRaise(pod, failure.values)) return failure;
  return isRaisedAsMuch(containers, failure.values) ? failure : null;
}

/** Whether the values that failed raise nothing above the pod's actual values. */
function hasNoRaise({ containers }: PodRecord, values: Values, resource: ResourceName | null = null): boolean {
  return containers.every((container) => {
    const failedValues = values.get(container.name);
    const actual = container.actual ?? container;
    return failedValues === undefined || !hasIncrease(resource === null ? actual : onlyResource(resource, actual), failedValues);
  });
}

/** Whether the pod's node refuses every CPU resize of the pod. */
export function isCpuRefused(pod: PodRecord, situation: WorkloadSituation): boolean {
  const { nodePools, now } = situation;
  if (unsupportedByNode(pod, situation) !== null) return true;
  return listKnownFailures(situation).some(
    (failure) =>
      (failure.code === 'cpu-manager' || failure.code === 'no-resize') && now < retryAt(failure) && isApplicable(pod, failure, nodePools),
  );
}

/** The latest resize of the pod, or of pods in its node pool, that was refused for missing capacity; undefined: none. */
export function findCapacityRefusal(
  pod: PodRecord,
  {
    memory,
    nodePools,
  }: { readonly memory: Pick<WorkloadSituation['memory'], 'failures'>; readonly nodePools: WorkloadSituation['nodePools'] },
): FailedResize | undefined {
  const ofResources = memory.failures.filter(({ pool, resource }) => pool !== null || resource !== null);
  const all = [findFailure(pod, memory.failures), ...ofResources.filter((failure) => isApplicable(pod, failure, nodePools))];
  return all.flatMap((each) => (each?.code === 'node-capacity' ? [each] : [])).toSorted((a, b) => b.since - a.since)[0];
}

/** The latest current refusal of a resize of the pod, or of one of its resources; undefined: none, or the pod was created later. */
export function findLastRefusal(
  pod: PodRecord,
  { memory, nodePools, nodesOfPods, now }: Pick<WorkloadSituation, 'memory' | 'nodePools' | 'nodesOfPods' | 'now'>,
): FailedResize | undefined {
  const isInForce = (failure: FailedResize): boolean => isCurrent(failure, now) || isAboveNode(pod, failure, nodesOfPods);
  return memory.failures
    .filter((failure) => pod.createdAt <= failure.since && isApplicable(pod, failure, nodePools) && isInForce(failure))
    .toSorted((a, b) => b.since - a.since)[0];
}

/** Whether a node that deferred a resize has enough free capacity now, so that the resize is retried before its time. */
function hasCapacityNow(
  pod: PodRecord,
  containers: readonly ContainerChange[],
  failure: FailedResize,
  now: Instant,
  freeOnNodes: ReadonlyMap<string, Resources>,
): boolean {
  const free = freeOnNodes.get(pod.node ?? '');
  if (failure.state !== 'deferred' || free === undefined || now - failure.since < CAPACITY_SETTLES_MS) return false;
  const more = (of: (amounts: OptionalResources) => number | null): number =>
    containers.reduce((sum, { from, to }) => sum + Math.max(0, (of(to.requests) ?? 0) - (of(from.requests) ?? 0)), 0);
  return more(({ cpuMillicores }) => cpuMillicores) <= free.cpuMillicores && more(({ memoryBytes }) => memoryBytes) <= free.memoryBytes;
}

function isDueAgain(pod: PodRecord, failure: FailedResize, { now, nodesOfPods }: Pick<WorkloadSituation, 'now' | 'nodesOfPods'>): boolean {
  return now >= retryAt(failure) && !isAboveNode(pod, failure, nodesOfPods);
}

/** Whether the kubelet refused it as infeasible and the requests exceed the node's allocatable: a retry cannot succeed. */
function isAboveNode(pod: PodRecord, { code, state, values }: FailedResize, nodesOfPods: WorkloadSituation['nodesOfPods']): boolean {
  const allocatable = nodesOfPods?.get(pod.node ?? '');
  if (code !== 'node-capacity' || state !== 'infeasible' || allocatable === undefined) return false;
  const requested = podRequests(pod, (container) => values.get(container.name)?.requests ?? container.requests);
  return RESOURCES.some((resource) => requested[FIELD[resource]] > allocatable[FIELD[resource]]);
}

/** Earliest time of a retry. */
export function retryAt(failure: FailedResize): Instant {
  return failure.since + retryAfter(failure);
}

/** Whether a failure still forbids a retry. That of a node pool past its retry time is stored only for its number of attempts. */
export function isCurrent(failure: FailedResize, now: Instant): boolean {
  return failure.pool === null || now < retryAt(failure);
}

/** End of a failure's retention: the number of attempts is needed until after the retry, because the next back-off depends on it. */
export function retainedUntil(failure: FailedResize): Instant {
  return retryAt(failure) + (isOfNodeProperty(failure) ? retryAfter(failure) : 0);
}

function retryAfter({ code, state, attempts = 1 }: FailedResize): DurationMs {
  if (code === 'permission') return RETRY_UNPERMITTED_AFTER_MS;
  return NODE_PROPERTY_CODES.includes(code) ? RETRY_NODE_PROPERTY_AFTER_MS * 2 ** (attempts - 1) : RETRY_AFTER_MS[state];
}
