// Whether Prometheus holds series of this cluster alone. Names repeat between clusters (`default/web`): usage of another
// cluster's pods would be learnt as this cluster's without any error.

import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster-reader.ts';
import type { Logger } from '../../ports/logger.ts';
import { orAborted } from '../../runtime/or-aborted.ts';
import { severalClusters } from './cluster-labels.ts';
import { PrometheusFailure } from './failure.ts';
import { ANY_OF_CONTAINERS } from './metric-names.ts';
import type { PrometheusQueries } from './prometheus-client.ts';
import type { InstantSample } from './read-answer.ts';
import { namesOf, refOf, type SeriesNames } from './series-names.ts';

/** A verdict is valid for so long: another cluster may be connected at any time. */
const CERTAIN_FOR_MS: DurationMs = 10 * MINUTE_MS;
const PENDING_FOR_MS: DurationMs = MINUTE_MS;
/** Series of a deleted pod go stale after 5 minutes; a pod with series for longer belongs to another cluster. */
const LINGERS_MS: DurationMs = 10 * MINUTE_MS;
const MAX_SHOWN = 3;
const SETTING = 'prometheus.matchers';
const UID_LABEL = 'evenkeel_pod_uid';
/** In the cgroup's path, with `_` where systemd writes it. A static pod has a hash there, which the API server does not know. */
const UID_IN_ID = '.*pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}).*';

interface Verdict {
  readonly problem: string | null;
  /** How long nothing is asked again. */
  readonly goodForMs: DurationMs;
}

export interface ClusterCheckDependencies {
  readonly client: PrometheusQueries;
  readonly cluster: Pick<ClusterReader, 'synced' | 'findPod'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How far back Prometheus is read. */
  readonly pastMs: DurationMs;
  readonly logger: Logger;
}

/**
 * Two rules, either of which refuses: the series have one value of each cluster label; and the pods with current series are
 * pods of this cluster, one of them at least.
 */
export class ClusterCheck {
  readonly #dependencies: ClusterCheckDependencies;
  #verdict: Verdict = { problem: null, goodForMs: 0 };
  #lookedAt: Instant = 0;
  #looking: Promise<void> | null = null;
  /** Series before this have one value of each label. */
  #labelsCheckedTo: Instant | null = null;
  /** Pods that are not of this cluster, in every look since. */
  #strangers: { readonly since: Instant; readonly pods: ReadonlySet<string> } | null = null;
  #wasCertain = false;

  constructor(dependencies: ClusterCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why Prometheus is not used, by the newest verdict; null: it is, or was not looked at yet. */
  problem(): string | null {
    return this.#verdict.problem;
  }

  /** Resolves where Prometheus may be used now. Throws PrometheusFailure `refused` where not, or where that cannot be found out. */
  async pass(signal: AbortSignal): Promise<void> {
    // Also where the clock was set back.
    if (Math.abs(this.#dependencies.clock.now() - this.#lookedAt) >= this.#verdict.goodForMs) {
      this.#looking ??= this.#look().finally(() => (this.#looking = null));
      await orAborted(this.#looking, signal);
    }
    const problem = this.problem();
    if (problem !== null) throw new PrometheusFailure('refused', problem);
  }

  async #look(): Promise<void> {
    const now = this.#dependencies.clock.now();
    // Whoever waits may stop waiting; the answer is still everybody's. It ends with the client.
    const verdict = await this.#judge(now, new AbortController().signal).catch(unanswered);
    const before = this.problem();
    this.#verdict = verdict;
    this.#lookedAt = now;
    if (verdict.problem === before) return;
    if (verdict.problem === null) this.#dependencies.logger.info('Prometheus is used: it has series of this cluster alone');
    else this.#dependencies.logger.warn('Prometheus is not used', { problem: verdict.problem });
  }

  async #judge(now: Instant, signal: AbortSignal): Promise<Verdict> {
    const { client, cluster, pastMs } = this.#dependencies;
    const said = `Prometheus at ${client.shown}`;
    if (!cluster.synced()) return this.#refused(`${said} is not asked before the pods of this cluster are known`, PENDING_FOR_MS);
    const from = this.#labelsCheckedTo ?? now - pastMs;
    this.#labelsCheckedTo = null;
    const several = await severalClusters(client, { from, to: now }, SETTING, signal);
    if (several !== null) return this.#refused(several, CERTAIN_FOR_MS);
    this.#labelsCheckedTo = now - LINGERS_MS;
    const { own, strangers } = await this.#podsWithSeries(now, signal);
    if (own > 0) return this.#watch(strangers, now, said);
    const remedy = `let it scrape /metrics/cadvisor of the kubelets, or correct prometheus.url and ${SETTING}`;
    return this.#refused(`${said} has no series of a pod of this cluster now; ${remedy}`, PENDING_FOR_MS);
  }

  #refused(problem: string, goodForMs: DurationMs): Verdict {
    this.#wasCertain = false;
    return { problem, goodForMs };
  }

  /** Series of a deleted pod end after a while; those of another cluster's pod stay. */
  #watch(strangers: ReadonlySet<string>, now: Instant, said: string): Verdict {
    const before = this.#strangers;
    const pods = before === null ? strangers : new Set([...strangers].filter((pod) => before.pods.has(pod)));
    if (pods.size === 0) {
      this.#strangers = null;
      this.#wasCertain = true;
      return { problem: null, goodForMs: CERTAIN_FOR_MS };
    }
    const since = before?.since ?? now;
    this.#strangers = { since, pods };
    const isProven = Math.abs(now - since) >= LINGERS_MS;
    // In a cluster where pods come and go there is always one that was just deleted.
    if (!isProven && this.#wasCertain) return { problem: null, goodForMs: PENDING_FOR_MS };
    return this.#refused(`${said} ${isProven ? proven(pods) : pending(pods)}`, PENDING_FOR_MS);
  }

  async #podsWithSeries(now: Instant, signal: AbortSignal): Promise<{ readonly own: number; readonly strangers: ReadonlySet<string> }> {
    const { client } = this.#dependencies;
    const names = await namesOf(client, `{${ANY_OF_CONTAINERS}}`, { from: now - LINGERS_MS, to: now }, signal);
    if (names === null) return { own: 0, strangers: new Set() };
    const containers = `{${ANY_OF_CONTAINERS},${names.pod}!="",${names.container}!="",${names.container}!="POD"}`;
    const withUid = `label_replace(${containers},"${UID_LABEL}","$1","id","${UID_IN_ID}")`;
    const by = [names.namespace, names.pod, UID_LABEL, 'job', 'instance'];
    return this.#compare(await client.instant(`count by (${by.join(',')}) (${withUid})`, now, signal), names);
  }

  #compare(series: readonly InstantSample[], names: SeriesNames): { readonly own: number; readonly strangers: ReadonlySet<string> } {
    let own = 0;
    const strangers = new Set<string>();
    const addresses = new Map<string, string>();
    for (const { labels } of series) {
      const { namespace, pod } = refOf(labels, names);
      const { job = '', instance = '', [UID_LABEL]: uid = '' } = labels;
      const known = this.#dependencies.cluster.findPod(namespace, pod);
      const isOwn = known !== undefined && (uid === '' || uid.replaceAll('_', '-') === known.uid);
      if (isOwn) own += 1;
      // Names are reused: only the UID identifies the pod.
      else strangers.add(uid === '' ? `${namespace}/${pod}` : `${namespace}/${pod} with UID ${uid}`);
      if (uid !== '') continue;
      // A pod is on one node: where one job finds it on two, one of them is another cluster's.
      const key = `${job} ${namespace}/${pod}`;
      const address = addresses.get(key) ?? instance;
      addresses.set(key, address);
      if (address !== instance) strangers.add(`${namespace}/${pod} on ${[address, instance].sort().join(' and ')}`);
    }
    return { own, strangers };
  }
}

/** Callers may be as many as nodes: one that does not answer, or not so much, is left alone for a while. */
function unanswered(err: unknown): Verdict {
  const why = err instanceof Error ? err.message : String(err);
  return { problem: `Prometheus is not used, as nothing shows that it is of this cluster: ${why}`, goodForMs: PENDING_FOR_MS };
}

function proven(pods: ReadonlySet<string>): string {
  const what = `for ${LINGERS_MS / MINUTE_MS} minutes for pods that this cluster does not have (${listed(pods)})`;
  return `has had series ${what}: it is of several clusters, or of another; set ${SETTING} to what only this cluster's series have`;
}

function pending(pods: ReadonlySet<string>): string {
  const within = `within ${LINGERS_MS / MINUTE_MS} minutes`;
  return `has series of pods that this cluster does not have (${listed(pods)}): not used until they end; unless they do ${within}, set ${SETTING}`;
}

function listed(pods: ReadonlySet<string>): string {
  const shown = [...pods].sort().slice(0, MAX_SHOWN).join(', ');
  return pods.size > MAX_SHOWN ? `${shown} and ${pods.size - MAX_SHOWN} more` : shown;
}
