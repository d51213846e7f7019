// Checks that Prometheus only has series of this cluster. Names repeat between clusters (`default/web`), so usage of another cluster's
// pods would be mistaken for this cluster's without any error.

import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { Logger } from '../../ports/logger.ts';
import { raceWithAbort } from '../../runtime/or-aborted.ts';
import { findSeveralClusters } from './cluster-labels.ts';
import { PrometheusFailure } from './client/failure.ts';
import { ANY_CONTAINER_METRICS } from './metric-names.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import type { InstantSample } from './client/read-answer.ts';
import { findSeriesNames, refOf, type SeriesNames } from './series-names.ts';

/** Validity of a verdict, since another cluster may be added at any time. */
const VERDICT_VALID_MS: DurationMs = 10 * MINUTE_MS;
const RETRY_AFTER_MS: DurationMs = MINUTE_MS;
/** Series of a deleted pod go stale after 5 minutes; a pod with series for longer belongs to another cluster. */
const STALE_AFTER_MS: DurationMs = 10 * MINUTE_MS;
const MAX_SHOWN = 3;
const SETTING = 'prometheus.matchers';
const UID_LABEL = 'evenkeel_pod_uid';
/**
 * Matches a pod UID in a cgroup path, where systemd writes `_` for `-`. A static pod has a hash instead, which the API server does not
 * know.
 */
const UID_IN_ID = '.*pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}).*';

interface Verdict {
  readonly problem: string | null;
  /** Time until the next check. */
  readonly validForMs: DurationMs;
}

export interface ClusterCheckDependencies {
  readonly client: PrometheusQueries;
  readonly cluster: Pick<ClusterReader, 'isSynced' | 'findPod'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Length of the history that is read. */
  readonly pastMs: DurationMs;
  readonly logger: Logger;
}

/**
 * Rejects Prometheus unless the series have one value per cluster label, and every pod with current series is a pod of this cluster, with
 * at least one.
 */
export class ClusterCheck {
  readonly #dependencies: ClusterCheckDependencies;
  #verdict: Verdict = { problem: null, validForMs: 0 };
  #checkedAt: Instant = 0;
  #checking: Promise<void> | null = null;
  /** Series before this time have one value per cluster label. */
  #labelsCheckedTo: Instant | null = null;
  /** Pods with series in every check since, that are not of this cluster. */
  #foreignPods: { readonly since: Instant; readonly pods: ReadonlySet<string> } | null = null;
  #wasAccepted = false;

  constructor(dependencies: ClusterCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why Prometheus is not used, according to the latest verdict; null: it is used, or was not checked yet. */
  problem(): string | null {
    return this.#verdict.problem;
  }

  /** Resolves if Prometheus may be used. Rejects with PrometheusFailure `refused` otherwise, or where the check failed. */
  async pass(signal: AbortSignal): Promise<void> {
    // The absolute difference also expires a verdict after the clock was set back.
    if (Math.abs(this.#dependencies.clock.now() - this.#checkedAt) >= this.#verdict.validForMs) {
      this.#checking ??= this.#check().finally(() => (this.#checking = null));
      await raceWithAbort(this.#checking, signal);
    }
    const problem = this.problem();
    if (problem !== null) throw new PrometheusFailure('refused', problem);
  }

  async #check(): Promise<void> {
    const now = this.#dependencies.clock.now();
    // The check is shared: one caller's abort must not cancel it for the others.
    const verdict = await this.#judge(now, new AbortController().signal).catch(failedVerdict);
    const before = this.problem();
    this.#verdict = verdict;
    this.#checkedAt = now;
    if (verdict.problem === before) return;
    if (verdict.problem === null) this.#dependencies.logger.info('Prometheus is used: all its series are of this cluster');
    else this.#dependencies.logger.warn('Prometheus is not used', { problem: verdict.problem });
  }

  async #judge(now: Instant, signal: AbortSignal): Promise<Verdict> {
    const { client, cluster, pastMs } = this.#dependencies;
    const subject = `Prometheus at ${client.shown}`;
    if (!cluster.isSynced()) return this.#refused(`${subject} is not queried before the pods of this cluster are listed`, RETRY_AFTER_MS);
    const from = this.#labelsCheckedTo ?? now - pastMs;
    this.#labelsCheckedTo = null;
    const several = await findSeveralClusters(client, { from, to: now }, SETTING, signal);
    if (several !== null) return this.#refused(several, VERDICT_VALID_MS);
    this.#labelsCheckedTo = now - STALE_AFTER_MS;
    const { own, foreignPods } = await this.#comparePods(now, signal);
    if (own > 0) return this.#watch(foreignPods, now, subject);
    const remedy = `let it scrape /metrics/cadvisor of the kubelets, or correct prometheus.url and ${SETTING}`;
    return this.#refused(`${subject} has no current series of a pod of this cluster; ${remedy}`, RETRY_AFTER_MS);
  }

  #refused(problem: string, validForMs: DurationMs): Verdict {
    this.#wasAccepted = false;
    return { problem, validForMs };
  }

  /** Foreign pods with lasting series belong to another cluster; series of a deleted pod end. */
  #watch(foreignPods: ReadonlySet<string>, now: Instant, subject: string): Verdict {
    const before = this.#foreignPods;
    const pods = before === null ? foreignPods : new Set([...foreignPods].filter((pod) => before.pods.has(pod)));
    if (pods.size === 0) {
      this.#foreignPods = null;
      this.#wasAccepted = true;
      return { problem: null, validForMs: VERDICT_VALID_MS };
    }
    const since = before?.since ?? now;
    this.#foreignPods = { since, pods };
    const isProven = Math.abs(now - since) >= STALE_AFTER_MS;
    // A busy cluster always has pods that were just deleted.
    if (!isProven && this.#wasAccepted) return { problem: null, validForMs: RETRY_AFTER_MS };
    return this.#refused(`${subject} ${isProven ? explainForeign(pods) : explainPending(pods)}`, RETRY_AFTER_MS);
  }

  async #comparePods(now: Instant, signal: AbortSignal): Promise<{ readonly own: number; readonly foreignPods: ReadonlySet<string> }> {
    const { client } = this.#dependencies;
    const names = await findSeriesNames(client, `{${ANY_CONTAINER_METRICS}}`, { from: now - STALE_AFTER_MS, to: now }, signal);
    if (names === null) return { own: 0, foreignPods: new Set() };
    const containers = `{${ANY_CONTAINER_METRICS},${names.pod}!="",${names.container}!="",${names.container}!="POD"}`;
    const withUid = `label_replace(${containers},"${UID_LABEL}","$1","id","${UID_IN_ID}")`;
    const by = [names.namespace, names.pod, UID_LABEL, 'job', 'instance'];
    return this.#compare(await client.instant(`count by (${by.join(',')}) (${withUid})`, now, signal), names);
  }

  #compare(series: readonly InstantSample[], names: SeriesNames): { readonly own: number; readonly foreignPods: ReadonlySet<string> } {
    let own = 0;
    const foreignPods = new Set<string>();
    const addresses = new Map<string, string>();
    for (const { labels } of series) {
      const { namespace, pod } = refOf(labels, names);
      const { job = '', instance = '', [UID_LABEL]: uid = '' } = labels;
      const known = this.#dependencies.cluster.findPod(namespace, pod);
      const isOwn = known !== undefined && (uid === '' || uid.replaceAll('_', '-') === known.uid);
      if (isOwn) own += 1;
      // Names are reused; only the UID identifies a pod.
      else foreignPods.add(uid === '' ? `${namespace}/${pod}` : `${namespace}/${pod} with UID ${uid}`);
      if (uid !== '') continue;
      // A pod runs on one node: where one job scrapes it on two, one belongs to another cluster.
      const key = `${job} ${namespace}/${pod}`;
      const address = addresses.get(key) ?? instance;
      addresses.set(key, address);
      if (address !== instance) foreignPods.add(`${namespace}/${pod} on ${[address, instance].sort().join(' and ')}`);
    }
    return { own, foreignPods };
  }
}

/** There may be as many callers as nodes, so after a failed check Prometheus is not queried for a while. */
function failedVerdict(err: unknown): Verdict {
  const why = err instanceof Error ? err.message : String(err);
  return {
    problem: `Prometheus is not used, since the check that it has only this cluster's series failed: ${why}`,
    validForMs: RETRY_AFTER_MS,
  };
}

function explainForeign(pods: ReadonlySet<string>): string {
  const what = `for ${STALE_AFTER_MS / MINUTE_MS} minutes for pods that this cluster does not have (${formatPods(pods)})`;
  return `has had series ${what}: it serves several clusters, or another one; set ${SETTING} to labels that only this cluster's series have`;
}

function explainPending(pods: ReadonlySet<string>): string {
  const within = `within ${STALE_AFTER_MS / MINUTE_MS} minutes`;
  return `has series of pods that this cluster does not have (${formatPods(pods)}): it is not used until these series end; if they do not ${within}, set ${SETTING}`;
}

function formatPods(pods: ReadonlySet<string>): string {
  const shown = [...pods].sort().slice(0, MAX_SHOWN).join(', ');
  return pods.size > MAX_SHOWN ? `${shown} and ${pods.size - MAX_SHOWN} more` : shown;
}
