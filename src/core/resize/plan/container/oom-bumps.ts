// Bounds memory limits after OOM kills: how far, how often, and in which pods. The killed pod is raised first, the other replicas after
// a second kill; `maxBumps` stops a container that uses any amount that it gets.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { withAmount, type Values } from '../../model/container-values.ts';
import type { ContainerPlan } from '../../model/container-plan.ts';
import type { DecisionEvent } from '../../model/decision-event.ts';
import { containerMode } from '../../policy/policy-rules.ts';
import { formatMemory } from '#kube/quantity';
import { DAY_MS, MiB, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { ResizeMode } from '../../../../apis/conditions.ts';
import type { CountedKill } from '../../model/evidence/counted-kill.ts';
import type { OomBump, ResizeMemory, WorkloadSituation } from '../../model/situation.ts';

/** Period in which `oom.maxBumps` counts bumps. */
export const BUMPS_COUNT_FOR_MS: DurationMs = 7 * DAY_MS;

/** Bound for a limit after OOM kills, in bytes: `need`, or the greatest limit so far once `maxBumps` is reached. */
export function boundByBumps(
  need: Bytes,
  limit: Bytes,
  {
    container,
    bumps,
    maxBumps,
    now,
  }: { readonly container: string; readonly bumps: readonly OomBump[]; readonly maxBumps: number; readonly now: Instant },
): Bytes {
  const given = bumps.filter((bump) => bump.container === container && now - bump.at < BUMPS_COUNT_FOR_MS).map((bump) => bump.limit);
  const reached = Math.max(limit, ...given);
  return need <= reached || new Set(given).size < maxBumps ? need : reached;
}

/** The values for a pod, with the bumps that it alone has after an OOM kill. */
export function withOomBumps(values: Values, pod: PodRecord, bumps: readonly OomBump[]): Values {
  const ownBumps = bumps.filter(({ uid }) => uid === pod.uid);
  if (ownBumps.length === 0) return values;
  const result = new Map(values);
  for (const { container, limit, request } of ownBumps) {
    const base = result.get(container);
    const [has, asks] = [base?.limits.memoryBytes ?? null, base?.requests.memoryBytes ?? null];
    if (base === undefined || has === null || has >= limit) continue;
    const requests = asks === null || request === null || asks >= request ? base.requests : withAmount(base.requests, 'memory', request);
    result.set(container, { requests, limits: withAmount(base.limits, 'memory', limit) });
  }
  return result;
}

/** The bumps to store, with those of newly killed pods; the same array where nothing has changed. */
export function updateBumpsAfterKills(
  { memory, pods, now, countedKills }: Pick<WorkloadSituation, 'memory' | 'pods' | 'now' | 'countedKills'>,
  plans: readonly ContainerPlan[],
  mode: ResizeMode,
): readonly OomBump[] {
  const added = pods.flatMap((pod) => {
    const kills = killsOf(pod, countedKills?.get(pod.uid) ?? []);
    return pod.containers.flatMap((container) => bumpOf(pod, container, kills, plans, mode, now) ?? []);
  });
  const fresh = added.filter(
    (bump) => !memory.oomBumps.some(({ uid, container, limit }) => uid === bump.uid && container === bump.container && limit >= bump.limit),
  );
  return withBumps(memory.oomBumps, fresh, pods, now);
}

/** Kills in the pod's status, and those that only counters show. */
function killsOf({ containers }: PodRecord, counted: readonly CountedKill[]): readonly CountedKill[] {
  const shown = containers.flatMap(({ name, lastTermination }) =>
    lastTermination?.reason === 'OOMKilled' && lastTermination.finishedAt !== null
      ? [{ container: name, at: lastTermination.finishedAt }]
      : [],
  );
  return [...shown, ...counted];
}

function bumpOf(
  pod: PodRecord,
  { name, limits }: ContainerRecord,
  kills: readonly CountedKill[],
  plans: readonly ContainerPlan[],
  mode: ResizeMode,
  now: Instant,
): OomBump | null {
  const ownBumps = plans.find((each) => each.name === name);
  if (ownBumps === undefined || containerMode(ownBumps.policy, mode) !== 'Auto') return null;
  const moments = new Set(kills.filter(({ container }) => container === name).map(({ at }) => at));
  const given = afterKills(ownBumps, moments);
  if (given === null || given.limit <= (limits.memoryBytes ?? given.limit)) return null;
  return { container: name, pod: pod.name, uid: pod.uid, at: now, ...given };
}

/** Limit and request of a pod after kills at these times; null: unchanged. */
function afterKills(
  { killedPod, target, advice }: ContainerPlan,
  moments: ReadonlySet<Instant>,
): Pick<OomBump, 'limit' | 'request'> | null {
  const ownBumps = advice?.oom?.recentKills.filter(({ at }) => moments.has(at)) ?? [];
  const [greatest, request] = [killedPod?.limits.memoryBytes ?? null, killedPod?.requests.memoryBytes ?? null];
  if (ownBumps.length === 0 || greatest === null) return null;
  const limit = Math.min(greatest, Math.max(...ownBumps.map(({ need }) => need), target?.limits.memoryBytes ?? 0));
  return { limit, request: request === greatest ? limit : request };
}

/** The bumps to store, with those of a change for all pods; the same array where nothing has changed. */
export function bumpsOfChange(
  memory: Pick<ResizeMemory, 'oomBumps'>,
  plans: readonly ContainerPlan[],
  values: Values,
  now: Instant,
): readonly OomBump[] {
  const added = plans.flatMap(({ name, inForce, advice }): OomBump[] => {
    const [from, to] = [inForce.limits.memoryBytes, values.get(name)?.limits.memoryBytes ?? null];
    if (from === null || to === null || to <= from || (advice?.oom?.limitNeed ?? 0) <= from) return [];
    return [{ container: name, pod: null, uid: null, at: now, limit: to, request: null }];
  });
  return withBumps(memory.oomBumps, added, null, now);
}

/** @param pods existing pods, whose bumps are kept as long as they exist; null: all bumps of pods are kept */
function withBumps(
  before: readonly OomBump[],
  added: readonly OomBump[],
  pods: readonly PodRecord[] | null,
  now: Instant,
): readonly OomBump[] {
  const isPresent = ({ uid }: OomBump): boolean => uid !== null && (pods === null || pods.some((pod) => pod.uid === uid));
  // A bump that is retried, or made again for new pods, is stored once: repetitions would displace the other bumps that count.
  const isRepeated = (bump: OomBump): boolean =>
    !isPresent(bump) && added.some(({ container, limit }) => container === bump.container && limit === bump.limit);
  const remaining = before.filter((bump) => (isPresent(bump) || now - bump.at < BUMPS_COUNT_FOR_MS) && !isRepeated(bump));
  return added.length === 0 && remaining.length === before.length ? before : [...remaining, ...added];
}

/** Events about OOM kills by a node out of memory, one for each kill, because such a kill raises neither limit nor request. */
export function listNodeOomEvents(
  plans: readonly ContainerPlan[],
  { nodeOoms }: Pick<ResizeMemory, 'nodeOoms'>,
): { readonly events: readonly DecisionEvent[]; readonly nodeOoms: ReadonlyMap<string, Instant> } {
  const fresh = plans.flatMap(({ name, advice }) => {
    const kill = advice?.oom?.lastNodeKill ?? null;
    return kill === null || kill.at <= (nodeOoms.get(name) ?? Number.NEGATIVE_INFINITY) ? [] : [{ name, ...kill }];
  });
  if (fresh.length === 0) return { events: [], nodeOoms };
  const events = fresh.map(({ name, limitBytes, workingSetBytes }): DecisionEvent => {
    const share =
      limitBytes > 0
        ? `used ${formatMemory(Math.round(workingSetBytes / MiB) * MiB)} of its limit of ${formatMemory(limitBytes)}`
        : 'has no memory limit';
    const message = `Container ${name} was OOM-killed because its node ran out of memory: it ${share}. Neither limit nor request is raised`;
    return { type: 'Warning', reason: 'NodeOutOfMemory', message };
  });
  return { events, nodeOoms: new Map([...nodeOoms, ...fresh.map(({ name, at }) => [name, at] as const)]) };
}
