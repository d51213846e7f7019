import { formatCpu, formatMemory } from '#kube/quantity';
import { MINUTE_MS, type Instant } from '#kube/units';
import { uniform, hashText } from '../../clock/seeded-hash.ts';
import type { LogLine } from '../../api/providers.ts';
import type { ContainerRuntime, Termination } from '../kubelet/container-runtime.ts';
import type { PodRuntime } from '../kubelet/pods/pod-runtime.ts';

/** Number of event lines kept per instance of a container. */
const MAX_LINES = 200;
/** Routine lines are generated from the time; this many of the latest are shown. */
const ROUTINE_SHOWN = 500;
const ROUTINE_EVERY_MS = MINUTE_MS;

interface InstanceLog {
  readonly startedAt: Instant;
  endedAt: Instant | null;
  readonly seed: number;
  readonly news: LogLine[];
}

interface Follower {
  readonly onLine: (line: LogLine) => void;
  readonly onEnd: () => void;
}

/**
 * Logs of containers: a few stored event lines (start, ready, resized, killed), and a routine line per minute, which is a function of seed
 * and time and is generated on read.
 */
export class ContainerLogs {
  readonly #seed: number;
  readonly #current = new Map<string, InstanceLog>();
  readonly #previous = new Map<string, InstanceLog>();
  readonly #followers = new Map<string, Set<Follower>>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  started(pod: PodRuntime, container: ContainerRuntime, at: Instant): void {
    const key = keyOf(pod.uid, container.name);
    const before = this.#current.get(key);
    if (before !== undefined) this.#previous.set(key, before);
    const seed = hashText(this.#seed, `${key}/${container.restartCount}`);
    this.#current.set(key, { startedAt: at, endedAt: null, seed, news: [] });
    this.#addLine(key, at, `starting ${container.name} (${container.spec.image})`);
    const { cpuMillicores, memoryBytes } = container.limits;
    this.#addLine(key, at, `limits: cpu ${formatted(cpuMillicores, formatCpu)}, memory ${formatted(memoryBytes, formatMemory)}`);
  }

  ready(pod: PodRuntime, container: ContainerRuntime, at: Instant): void {
    this.#addLine(keyOf(pod.uid, container.name), at, 'ready to serve');
  }

  resized(pod: PodRuntime, container: ContainerRuntime, at: Instant): void {
    const { cpuMillicores, memoryBytes } = container.requests;
    this.#addLine(
      keyOf(pod.uid, container.name),
      at,
      `resources changed in place: requests cpu ${formatted(cpuMillicores, formatCpu)}, memory ${formatted(memoryBytes, formatMemory)}`,
    );
  }

  ended(pod: PodRuntime, container: ContainerRuntime, termination: Termination): void {
    const key = keyOf(pod.uid, container.name);
    const log = this.#current.get(key);
    if (log === undefined) return;
    if (termination.reason === 'Completed') this.#addLine(key, termination.finishedAt, 'done');
    // A process killed by the kernel writes no last line.
    else if (termination.reason !== 'OOMKilled')
      this.#addLine(key, termination.finishedAt, `stopping with exit code ${termination.exitCode}`);
    log.endedAt = termination.finishedAt;
    for (const follower of this.#followers.get(key) ?? []) follower.onEnd();
    this.#followers.delete(key);
  }

  forget(podUid: string): void {
    for (const log of [this.#current, this.#previous]) for (const key of log.keys()) if (key.startsWith(`${podUid}/`)) log.delete(key);
  }

  /** Log of an instance; undefined when that instance never started. */
  read(podUid: string, container: string, previous: boolean, now: Instant): readonly LogLine[] | undefined {
    const log = (previous ? this.#previous : this.#current).get(keyOf(podUid, container));
    if (log === undefined) return undefined;
    const until = log.endedAt ?? now;
    const lines = [...log.news];
    const last = Math.floor((until - log.startedAt) / ROUTINE_EVERY_MS);
    for (let number = Math.max(1, last - ROUTINE_SHOWN + 1); number <= last; number++) lines.push(routineLine(log, number));
    return lines.sort((a, b) => a.at - b.at);
  }

  /** Whether the container is running, so that more lines will follow. */
  isOpen(podUid: string, container: string): boolean {
    const log = this.#current.get(keyOf(podUid, container));
    return log?.endedAt === null;
  }

  /** The next routine line after a time; undefined when the container does not run. */
  nextRoutine(podUid: string, container: string, after: Instant): LogLine | undefined {
    const log = this.#current.get(keyOf(podUid, container));
    if (log?.endedAt !== null) return undefined;
    return routineLine(log, Math.max(0, Math.floor((after - log.startedAt) / ROUTINE_EVERY_MS)) + 1);
  }

  follow(podUid: string, container: string, follower: Follower): () => void {
    const key = keyOf(podUid, container);
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers);
    followers.add(follower);
    return () => followers.delete(follower);
  }

  #addLine(key: string, at: Instant, text: string): void {
    const log = this.#current.get(key);
    if (log === undefined) return;
    const line = { at, text: `level=info msg=${JSON.stringify(text)}` };
    log.news.push(line);
    if (log.news.length > MAX_LINES) log.news.shift();
    for (const follower of this.#followers.get(key) ?? []) follower.onLine(line);
  }
}

function routineLine(log: InstanceLog, number: number): LogLine {
  const requests = Math.round(40 + 400 * uniform(log.seed, number));
  const p99 = (5 + 60 * uniform(log.seed ^ 1, number)).toFixed(1);
  return {
    at: log.startedAt + number * ROUTINE_EVERY_MS,
    text: `level=info msg="handled ${requests} requests in the last minute" p99_ms=${p99}`,
  };
}

function formatted(value: number | null, format: (value: number) => string): string {
  return value === null ? 'none' : format(value);
}

function keyOf(podUid: string, container: string): string {
  return `${podUid}/${container}`;
}
