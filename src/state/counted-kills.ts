// OOM kills that no pod's status shows: the kernel killed a process (a worker of gunicorn, a backend of PostgreSQL) and its
// container went on. The counter of the container's cgroup shows them. It counts kills by a node that ran out of memory as well,
// so that the working set alone tells whether the limit was hit.

import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { DAY_MS, HOUR_MS, MINUTE_MS, type Bytes, type DurationMs, type Instant } from '#kube/units';
import type { UsageSample } from '#kube/records/usage';
import { LIMIT_REACHED_RATIO } from '../core/recommender/oom-log.ts';
import type { CountedKill } from '../core/resize/model/counted-kill.ts';

/** A kill, and the highest working set of the hour before with the limit that was in force then. */
export interface CountedKillFound extends CountedKill {
  /** null: the container had no limit. */
  readonly memoryLimitBytes: Bytes | null;
  readonly workingSetBytes: Bytes;
}

/** Counters are read once an hour: a kill may have happened at any time since. */
const SPAN_MS: DurationMs = HOUR_MS;
/** A sample carries a reading of the counters some minutes late at most. */
const LATE_MS: DurationMs = 5 * MINUTE_MS;
const REMEMBERED_MS: DurationMs = DAY_MS;

interface NearLimit {
  readonly at: Instant;
  readonly workingSetBytes: Bytes;
  readonly memoryLimitBytes: Bytes;
}

interface Remembered {
  readonly uid: string;
  /** By container, of the last hour, in time: under the same limit each is higher than all that came after it. */
  readonly nearLimit: Map<string, NearLimit[]>;
  /** `offsetMs` is to be added to times in the pod's status: they are of the clock of its node. */
  readonly kills: (CountedKill & { readonly since: Instant; readonly offsetMs: DurationMs })[];
}

/** Holds something of those containers alone that came near their memory limit, or were killed. */
export class CountedKills {
  readonly #pods = new Map<string, Remembered>();

  /** Takes a sample of a pod as it is now; null: it shows no kill beyond those of the pod's status. */
  observe(pod: PodRecord, container: string, sample: UsageSample): CountedKillFound | null {
    const record = pod.containers.find(({ name }) => name === container);
    if (record === undefined) return null;
    const memoryLimitBytes = (record.actual ?? record).limits.memoryBytes;
    const workingSetBytes = sample.memoryPeakBytes ?? sample.memoryBytes ?? 0;
    const { at } = sample;
    if (memoryLimitBytes !== null && workingSetBytes >= memoryLimitBytes * LIMIT_REACHED_RATIO) {
      this.#noteNearLimit(pod, container, { at, workingSetBytes, memoryLimitBytes });
    }
    const since = at - (sample.throttledSpanMs ?? SPAN_MS) - LATE_MS;
    if (!((sample.oomEvents ?? 0) > 0) || !this.#take(pod, record, sample, since)) return null;
    const known = this.#pods.get(keyOf(pod))?.nearLimit.get(container) ?? [];
    return { memoryLimitBytes, workingSetBytes, ...hitBetween(known, since, at), container, at };
  }

  /** Those of the last day, the newest last. */
  of(pod: Pick<PodRecord, 'namespace' | 'name' | 'uid'>): readonly CountedKill[] {
    const remembered = this.#pods.get(keyOf(pod));
    return remembered?.uid === pod.uid ? remembered.kills.map(({ container, at }) => ({ container, at })) : [];
  }

  /** Whether a kill that a status shows late was counted before. */
  hasCounted(pod: PodRecord, container: string, finishedAt: Instant): boolean {
    const remembered = this.#pods.get(keyOf(pod));
    if (remembered?.uid !== pod.uid) return false;
    return remembered.kills.some((kill) => {
      const at = finishedAt + kill.offsetMs;
      return kill.container === container && kill.since <= at && at <= kill.at;
    });
  }

  /** @param key namespace/name */
  forgetPod(key: string): void {
    this.#pods.delete(key);
  }

  /** Remembers a kill; false: the container does not run, or its last termination shows the kill. */
  #take(pod: PodRecord, { name, state, lastTermination: end }: ContainerRecord, sample: UsageSample, since: Instant): boolean {
    const { at } = sample;
    const offsetMs = sample.clockOffsetMs ?? 0;
    if (state !== 'running' || (end?.reason === 'OOMKilled' && (end.finishedAt ?? at) + offsetMs >= since)) return false;
    const { kills } = this.#rememberedOf(pod);
    kills.push({ container: name, at, since, offsetMs });
    while (at - (kills[0]?.at ?? at) > REMEMBERED_MS) kills.shift();
    return true;
  }

  #noteNearLimit(pod: PodRecord, container: string, now: NearLimit): void {
    const { nearLimit } = this.#rememberedOf(pod);
    const isHigher = (each: NearLimit): boolean =>
      each.memoryLimitBytes !== now.memoryLimitBytes || each.workingSetBytes > now.workingSetBytes;
    const kept = (nearLimit.get(container) ?? []).filter((each) => now.at - each.at <= SPAN_MS && isHigher(each));
    nearLimit.set(container, [...kept, now]);
  }

  #rememberedOf(pod: PodRecord): Remembered {
    const key = keyOf(pod);
    let remembered = this.#pods.get(key);
    if (remembered?.uid !== pod.uid) this.#pods.set(key, (remembered = { uid: pod.uid, nearLimit: new Map(), kills: [] }));
    return remembered;
  }
}

/**
 * The highest working set of the last hour, under the lowest limit that was in force while the kill may have happened: one that
 * was raised since is not proven too small. undefined: none was near its limit.
 */
function hitBetween(known: readonly NearLimit[], since: Instant, now: Instant): Omit<NearLimit, 'at'> | undefined {
  const inHour = known.filter(({ at }) => now - at <= SPAN_MS).toSorted((a, b) => b.workingSetBytes - a.workingSetBytes);
  const limits = inHour.flatMap(({ at, memoryLimitBytes }) => (at >= since ? [memoryLimitBytes] : []));
  return limits.length === 0 ? inHour[0] : inHour.find(({ memoryLimitBytes }) => memoryLimitBytes === Math.min(...limits));
}

function keyOf({ namespace, name }: Pick<PodRecord, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}
