import { isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import type { KubernetesInformers } from '../../adapters/kubernetes/watch/informers.ts';
import { type PermissionWatch, wordsOf } from '../../adapters/kubernetes/access/permission-watch.ts';
import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import type { Clock } from '../../ports/clock.ts';
import type { InformerStatus } from '../../ports/cluster/cluster-feed.ts';
import type { AccessEventQueue } from '../../ports/store/access-events.ts';
import type { StoreHealth } from '../../ports/store/history-store.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { UsageSourceStatus } from '../../ports/usage/usage-source.ts';
import type { HealthSource } from '../../queries/sources.ts';
import type { Election } from '../../ports/cluster/election.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { EvidenceLog } from '../../state/evidence/evidence-log.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';

/** A health source whose `since` is the time of the last change of its status. */
export function healthSource(
  name: string,
  clock: Clock,
  read: () => { readonly status: 'ok' | 'degraded' | 'failed'; readonly message: string },
): HealthSource {
  let last: string | null = null;
  let since: Instant = clock.now();
  return {
    name,
    status: () => {
      const { status, message } = read();
      if (last !== null && last !== status) since = clock.now();
      last = status;
      return { status, message, since, latencyMs: null };
    },
  };
}

/** One source per informer: objects, last event, restarts, and an unreadable object. */
export function informerHealth(informers: Pick<KubernetesInformers, 'informers'>, clock: Clock): readonly HealthSource[] {
  return informers.informers().map(({ name }) =>
    healthSource(`informer/${name}`, clock, () => {
      const informer = informers.informers().find((candidate) => candidate.name === name);
      if (informer === undefined) return { status: 'failed', message: 'is not running' };
      const { objects, restarts, lastEventAt, problem, synced, unreadable } = informer;
      // The time instead of the age, which would change at every request.
      const lastEvent = lastEventAt === null ? 'no event yet' : `last event ${isoTime(lastEventAt)}`;
      const counts = `${objects} objects, ${restarts} restarts, ${lastEvent}`;
      if (problem !== null) return { status: informer.required ? 'failed' : 'degraded', message: `${problem} (${counts})` };
      if (unreadable !== null) return { status: 'degraded', message: `${unreadableText(unreadable)} (${counts})` };
      return synced ? { status: 'ok', message: counts } : { status: 'degraded', message: 'has not listed yet' };
    }),
  );
}

/** Message about unreadable objects: their number, the key and field of one, and the remedy. */
export function unreadableText({ count, first }: NonNullable<InformerStatus['unreadable']>): string {
  const which = count === 1 ? `${first.key} cannot be read` : `${count} objects cannot be read, such as ${first.key}`;
  return `${which}: ${first.problem}; correct this field`;
}

export function usageHealth(
  usage: Pick<UsageModel, 'problem' | 'isStale'>,
  source: () => UsageSourceStatus,
  feed: Pick<LeaderFeed, 'problem' | 'isFollowing'> | null,
  clock: Clock,
): HealthSource {
  return healthSource('usage-source', clock, () => {
    const unshared = feed?.problem() ?? null;
    if (unshared !== null) return { status: 'failed', message: unshared };
    const { name, problem: sourceProblem } = source();
    const from = feed?.isFollowing() === true ? `${name}, through the leader` : name;
    const problem = joinProblems(sourceProblem, usage.problem());
    if (usage.isStale())
      return { status: 'failed', message: `${from}: nothing read for two periods${problem === null ? '' : `: ${problem}`}` };
    return problem === null ? { status: 'ok', message: `${from}: read` } : { status: 'degraded', message: `${from}: ${problem}` };
  });
}

export function throttlingHealth(
  evidence: Pick<EvidenceLog, 'throttlingByNode'>,
  source: () => UsageSourceStatus,
  clock: Clock,
): HealthSource {
  return healthSource('throttling', clock, () => {
    const { throttlingProblem } = source();
    if (throttlingProblem !== null) return { status: 'degraded', message: `unknown, reported as null: ${throttlingProblem}` };
    const { known, unknown } = evidence.throttlingByNode(clock.now());
    const [first] = unknown;
    if (first === undefined) return { status: 'ok', message: `known for ${known} nodes with CPU-limited containers` };
    const share = `${unknown.length} of ${known + unknown.length} nodes with CPU-limited containers`;
    return { status: 'degraded', message: `unknown for ${share}, reported as null: ${first.problem}` };
  });
}

export function pressureHealth(evidence: Pick<EvidenceLog, 'pressureByNode'>, source: () => UsageSourceStatus, clock: Clock): HealthSource {
  return healthSource('pressure', clock, () => {
    const { name, kubeletProblem: unread } = source();
    if (unread !== null) return { status: 'degraded', message: `unknown, reported as null: ${unread}` };
    const { known, unmeasured } = evidence.pressureByNode(clock.now());
    const [first] = unmeasured;
    if (first !== undefined) {
      const share = `${unmeasured.length} of ${known + unmeasured.length} nodes, such as ${first}`;
      return { status: 'degraded', message: `not measured on ${share}: requires kubelet 1.34 or newer, cgroup v2 and a kernel with PSI` };
    }
    if (known > 0) return { status: 'ok', message: `known for ${known} nodes` };
    return { status: 'degraded', message: `unknown, reported as null: no reading from ${name} yet` };
  });
}

export function permissionHealth(permissions: Pick<PermissionWatch, 'missing'>, clock: Clock): HealthSource {
  return healthSource('permissions', clock, () => {
    const missing = permissions.missing();
    if (missing.length === 0) return { status: 'ok', message: 'no permission is missing' };
    const remedy =
      "grant it to Evenkeel's ServiceAccount, unless the API server has just started and not read its roles yet; access is reviewed every 30 s";
    return { status: 'degraded', message: `not permitted: ${missing.map(wordsOf).join(', ')}; ${remedy}` };
  });
}

/** Empty where no Prometheus is configured. Without it past usage and error rates are missing; throttling is read from the kubelets. */
export function prometheusHealth(
  prometheus: { status(): { readonly status: 'ok' | 'degraded'; readonly message: string } | null },
  clock: Clock,
): readonly HealthSource[] {
  if (prometheus.status() === null) return [];
  return [healthSource('prometheus', clock, () => prometheus.status() ?? { status: 'ok', message: 'not configured' })];
}

/** Empty where admission is disabled. */
export function admissionHealth(
  admission: { status(): { readonly ok: boolean; readonly message: string } | null },
  clock: Clock,
): readonly HealthSource[] {
  if (admission.status() === null) return [];
  const read = (): { readonly status: 'ok' | 'degraded'; readonly message: string } => {
    const { ok, message } = admission.status() ?? { ok: true, message: 'disabled' };
    // Only degraded, because pods are created without the webhook too, at their template's size.
    return { status: ok ? 'ok' : 'degraded', message };
  };
  return [healthSource('webhook', clock, read)];
}

/** Without the key no workload is idled, no autoscaler's target changes and no reset is accepted. */
export function recordKeyHealth(recordKey: { readonly problem: string | null }, clock: Clock): HealthSource {
  return healthSource('record-key', clock, () => {
    const { problem } = recordKey;
    return problem === null ? { status: 'ok', message: 'records are signed' } : { status: 'degraded', message: problem };
  });
}

/** Degraded where the price list lacks a node's machine type. */
export function priceHealth(prices: PriceSource, cluster: Pick<ClusterState, 'nodes'>, clock: Clock): HealthSource {
  return healthSource('price-source', clock, () => {
    const estimated = [...cluster.nodes()].filter((node) => prices.priceOf(node).estimate).length;
    if (estimated === 0) return { status: 'ok', message: 'every node has a price' };
    return { status: 'degraded', message: `${estimated} nodes have an estimated price: set prices.file` };
  });
}

export function storeHealth(store: StoreHealth, clock: Clock): HealthSource {
  return healthSource('store', clock, () => {
    const { ok, message } = store.status();
    return { status: ok ? 'ok' : 'failed', message };
  });
}

/** A burst of changes is written within a second. */
const MAX_WAITING_ACCESS_EVENTS = 1_000;

/** Access events that wait for the store, and those that were lost. */
export function accessEventHealth(events: AccessEventQueue, clock: Clock): HealthSource {
  return healthSource('access-events', clock, () => {
    const { waiting, dropped } = events.accessEventQueue();
    const lost = dropped === 0 ? '' : `; ${dropped} were lost since the start, and the trail has their number`;
    return waiting <= MAX_WAITING_ACCESS_EVENTS
      ? { status: 'ok', message: `written to the history store${lost}` }
      : { status: 'degraded', message: `${waiting} wait for the history store${lost}` };
  });
}

export function leaderHealth(election: Election | null, identity: string, clock: Clock): HealthSource {
  return healthSource('leader-election', clock, () => {
    if (election === null) return { status: 'ok', message: 'disabled: this replica acts' };
    const [holder, problem] = [election.holder(), election.problem()];
    if (problem !== null) return { status: 'failed', message: problem };
    if (holder === null) return { status: 'degraded', message: 'no replica holds the lease' };
    return { status: 'ok', message: holder === identity ? 'this replica is the leader' : `${holder} is the leader` };
  });
}

/** null where there is no problem. */
function joinProblems(...problems: readonly (string | null)[]): string | null {
  const present = problems.filter((problem) => problem !== null);
  return present.length === 0 ? null : present.join('; ');
}
