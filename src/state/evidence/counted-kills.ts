// OOM kills that no pod status has: the kernel killed a process (a worker of gunicorn, a backend of PostgreSQL) and its container
// continued. The counter of the container's cgroup includes them, and also kills on a node that ran out of memory, so that only
// the working set shows whether the limit was reached.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { LIMIT_REACHED_RATIO } from '../../core/recommender/memory/oom-log.ts';
import type { CountedKill } from '../../core/resize/model/evidence/counted-kill.ts';

/** A kill with the highest working set of the hour before, and the limit in force at that time. */
export interface CountedKillFound extends CountedKill {
  /** null: the container had no limit. */
  readonly memoryLimitBytes: Bytes | null;
  readonly workingSetBytes: Bytes;
}

/** Counters are read once an hour, so that a kill may have happened at any time since. */
const SPAN_MS: DurationMs = HOUR_MS;
/** Maximum delay between a reading of the counters and the sample that carries it. */
const MAX_DELAY_MS: DurationMs = 5 * MINUTE_MS;
const RETENTION_MS: DurationMs = DAY_MS;

interface NearLimit {
  readonly at: Instant;
  readonly workingSetBytes: Bytes;
  readonly memoryLimitBytes: Bytes;
}

interface PodKills {
  readonly uid: string;
  /** Samples near the limit in the last hour by container (monotonic queue): under the same limit each is higher than all later ones. */
  readonly nearLimit: Map<string, NearLimit[]>;
  /** `offsetMs`: correction of times in the pod's status, which are of the node's clock. */
  readonly kills: (CountedKill & { readonly since: Instant; readonly offsetMs: DurationMs })[];
}

/** Finds OOM kills by counters. Stores only containers that came near their memory limit or were killed. */
export class CountedKills {
  readonly #pods = new Map<string, PodKills>();

  /** Processes a sample; returns a kill that the pod's status does not have; null: none. */
  observe(pod: PodRecord, container: string, sample: UsageSample): CountedKillFound | null {
    const record = pod.containers.find(({ name }) => name === container);
    if (record === undefined) return null;
    const memoryLimitBytes = (record.actual ?? record).limits.memoryBytes;
    const workingSetBytes = sample.memoryPeakBytes ?? sample.memoryBytes ?? 0;
    const { at } = sample;
    if (memoryLimitBytes !== null && workingSetBytes >= memoryLimitBytes * LIMIT_REACHED_RATIO) {
      this.#recordNearLimit(pod, container, { at, workingSetBytes, memoryLimitBytes });
    }
    const since = at - (sample.throttledSpanMs ?? SPAN_MS) - MAX_DELAY_MS;
    if (!((sample.oomEvents ?? 0) > 0) || !this.#take(pod, record, sample, since)) return null;
    const known = this.#pods.get(keyOf(pod))?.nearLimit.get(container) ?? [];
    return { memoryLimitBytes, workingSetBytes, ...findLimitReached(known, since, at), container, at };
  }

  /** Counted kills of the last day, newest last. */
  of(pod: Pick<PodRecord, 'namespace' | 'name' | 'uid'>): readonly CountedKill[] {
    const podKills = this.#pods.get(keyOf(pod));
    return podKills?.uid === pod.uid ? podKills.kills.map(({ container, at }) => ({ container, at })) : [];
  }

  /** Whether a kill in a pod's status was counted before. */
  hasCounted(pod: PodRecord, container: string, finishedAt: Instant): boolean {
    const podKills = this.#pods.get(keyOf(pod));
    if (podKills?.uid !== pod.uid) return false;
    return podKills.kills.some((kill) => {
      const at = finishedAt + kill.offsetMs;
      return kill.container === container && kill.since <= at && at <= kill.at;
    });
  }

  /** @param key namespace/name */
  forgetPod(key: string): void {
    this.#pods.delete(key);
  }

  /** Records a kill; false: the container does not run, or its last termination is the kill. */
  #take(pod: PodRecord, { name, state, lastTermination: end }: ContainerRecord, sample: UsageSample, since: Instant): boolean {
    const { at } = sample;
    const offsetMs = sample.clockOffsetMs ?? 0;
    if (state !== 'running' || (end?.reason === 'OOMKilled' && (end.finishedAt ?? at) + offsetMs >= since)) return false;
    const { kills } = this.#podKillsOf(pod);
    kills.push({ container: name, at, since, offsetMs });
    while (at - (kills[0]?.at ?? at) > RETENTION_MS) kills.shift();
    return true;
  }

  #recordNearLimit(pod: PodRecord, container: string, now: NearLimit): void {
    const { nearLimit } = this.#podKillsOf(pod);
    const isHigher = (earlier: NearLimit): boolean =>
      earlier.memoryLimitBytes !== now.memoryLimitBytes || earlier.workingSetBytes > now.workingSetBytes;
    const higher = (nearLimit.get(container) ?? []).filter((earlier) => now.at - earlier.at <= SPAN_MS && isHigher(earlier));
    nearLimit.set(container, [...higher, now]);
  }

  #podKillsOf(pod: PodRecord): PodKills {
    const key = keyOf(pod);
    let podKills = this.#pods.get(key);
    if (podKills?.uid !== pod.uid) this.#pods.set(key, (podKills = { uid: pod.uid, nearLimit: new Map(), kills: [] }));
    return podKills;
  }
}

/**
 * The highest working set of the last hour under the lowest limit that was in force when the kill may have happened: a limit
 * that was raised since then may be high enough. undefined: no sample was near its limit.
 */
function findLimitReached(known: readonly NearLimit[], since: Instant, now: Instant): Omit<NearLimit, 'at'> | undefined {
  const inHour = known.filter(({ at }) => now - at <= SPAN_MS).toSorted((a, b) => b.workingSetBytes - a.workingSetBytes);
  const limits = inHour.flatMap(({ at, memoryLimitBytes }) => (at >= since ? [memoryLimitBytes] : []));
  return limits.length === 0 ? inHour[0] : inHour.find(({ memoryLimitBytes }) => memoryLimitBytes === Math.min(...limits));
}

function keyOf({ namespace, name }: Pick<PodRecord, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
