// Usage from the kubelets, or from a fallback while most kubelets' certificates are not trusted.

import { MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import type { Activity, Clock } from '../../ports/clock.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { Logger } from '../../ports/logger.ts';
import type { UsageSink, UsageSource } from '../../ports/usage/usage-source.ts';
import { isAborted } from '../kubernetes/sleep.ts';
import { UNTRUSTED_REMEDY } from './untrusted-remedy.ts';

/** A usage source whose availability can be checked before it is used. */
export interface ProbedUsageSource extends UsageSource {
  /** Returns why the source cannot be read now, with the remedy; null: it can be read. */
  problem(signal: AbortSignal): Promise<string | null>;
}

export interface FallbackUsageSourceDependencies {
  readonly kubelets: UsageSource;
  readonly fallback: ProbedUsageSource;
  readonly reader: Pick<ClusterReader, 'nodes' | 'findNode'>;
  readonly clock: Clock;
  readonly activity: Activity;
  readonly logger: Logger;
  /** Called with the name of the source in use whenever it changes; null: usage is no longer read. */
  readonly onSource: (name: string | null) => void;
}

/** Time that most kubelets must be untrusted before the fallback is read, since certificate rotation and new nodes cause short failures. */
const UNTRUSTED_FOR_MS: DurationMs = 5 * MINUTE_MS;
const CHECK_EVERY_MS: DurationMs = MINUTE_MS;
/** Interval at which an unreadable fallback is checked again. */
const PROBE_EVERY_MS: DurationMs = 5 * MINUTE_MS;
/** Interval at which each kubelet is read while the fallback is in use. */
const KUBELETS_EVERY_MS: DurationMs = 15 * MINUTE_MS;

/** Reads the kubelets, and the fallback while most kubelets are untrusted for UNTRUSTED_FOR_MS and the fallback can be read. */
export class FallbackUsageSource implements UsageSource {
  readonly #dependencies: FallbackUsageSourceDependencies;
  /** By node: whether its kubelet's certificate was trusted at the last reading that showed it. */
  readonly #trusted = new Map<string, boolean>();
  #usesFallback = false;
  /** Why the fallback cannot be read while most kubelets are untrusted. */
  #fallbackProblem: string | null = null;

  constructor(dependencies: FallbackUsageSourceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Name of the source in use. */
  get name(): string {
    const { kubelets, fallback } = this.#dependencies;
    return this.#usesFallback ? fallback.name : kubelets.name;
  }

  /** Why kubelets are not read, with the remedy; null: they are read. */
  kubeletProblem(): string | null {
    return this.#usesFallback ? this.#untrusted() : null;
  }

  /** Why usage is missing or reduced, with the remedy; null: most kubelets can be read. */
  problem(): string | null {
    if (this.#fallbackProblem === null) return this.kubeletProblem();
    return `${this.#untrusted()}; ${this.#dependencies.fallback.name} cannot be read instead: ${this.#fallbackProblem}`;
  }

  async run(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.#readKubelets(sink, intervalMs, signal);
      if (!isAborted(signal)) await this.#readFallback(sink, intervalMs, signal);
    }
    this.#trusted.clear();
    this.#usesFallback = false;
    this.#fallbackProblem = null;
    this.#dependencies.onSource(null);
  }

  /** Resolves once most kubelets have been untrusted for a while and the fallback can be read. */
  async #readKubelets(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { kubelets, clock, onSource } = this.#dependencies;
    this.#usesFallback = false;
    onSource(kubelets.name);
    let untrustedSince: Instant | null = null;
    let probeAt: Instant = 0;
    await this.#readUntil(
      signal,
      (stop) => kubelets.run(this.#watchTrust(abortableSink(sink, stop)), intervalMs, stop),
      async (stop) => {
        const now = clock.now();
        if (!this.#count().mostUntrusted) {
          untrustedSince = null;
          this.#fallbackProblem = null;
          return false;
        }
        untrustedSince ??= now;
        if (now - untrustedSince < UNTRUSTED_FOR_MS || now < probeAt) return false;
        probeAt = now + PROBE_EVERY_MS;
        return await this.#canReadFallback(stop);
      },
    );
  }

  async #canReadFallback(stop: AbortSignal): Promise<boolean> {
    const { fallback, logger } = this.#dependencies;
    const problem = await fallback.problem(stop);
    if (isAborted(stop)) return false;
    if (problem !== null && problem !== this.#fallbackProblem) {
      logger.warn(`Most kubelets have certificates that are not trusted, and ${fallback.name} cannot be read instead`, { problem });
    }
    this.#fallbackProblem = problem;
    return problem === null;
  }

  /** Resolves once most kubelets are trusted. */
  async #readFallback(sink: UsageSink, intervalMs: DurationMs, signal: AbortSignal): Promise<void> {
    const { kubelets, fallback, logger, onSource } = this.#dependencies;
    this.#usesFallback = true;
    onSource(fallback.name);
    const without = 'which has no volumes, throttling or pressure';
    logger.warn(`Most kubelets have certificates that are not trusted; usage is read from ${fallback.name}, ${without}`, {
      problem: this.#untrusted(),
    });
    await this.#readUntil(
      signal,
      (stop) =>
        Promise.all([
          fallback.run(abortableSink(sink, stop), intervalMs, stop),
          // Read only to check certificates: samples of one container from two sources would count its usage twice.
          kubelets.run(this.#watchTrust(NO_SINK), KUBELETS_EVERY_MS, stop),
        ]),
      async () => this.#count().mostTrusted,
    );
    if (!isAborted(signal)) logger.info('Most kubelets are trusted; usage is read from them');
  }

  /** Reads until `isOver`, evaluated once a minute, resolves to true, or the signal aborts. */
  async #readUntil(
    signal: AbortSignal,
    read: (stop: AbortSignal) => Promise<unknown>,
    isOver: (stop: AbortSignal) => Promise<boolean>,
  ): Promise<void> {
    const { clock, activity } = this.#dependencies;
    const over = new AbortController();
    const stop = AbortSignal.any([signal, over.signal]);
    let cancel = (): void => undefined;
    const schedule = (): void => {
      cancel = clock.schedule(clock.now() + CHECK_EVERY_MS, check);
    };
    const check = (): void => {
      const idle = activity.begin();
      void isOver(stop)
        .then((ends) => {
          if (ends) over.abort(new Error('usage is read from another source'));
          else if (!isAborted(stop)) schedule();
        })
        .finally(idle);
    };
    schedule();
    await read(stop);
    cancel();
  }

  /** Wraps the sink and records from each reading whether the kubelet's certificate is trusted. Other failures do not change it. */
  #watchTrust(sink: UsageSink): UsageSink {
    return {
      ...sink,
      onUsage: (reading) => {
        this.#trusted.set(reading.node, true);
        sink.onUsage(reading);
      },
      onFailure: (failure) => {
        if (failure.code === 'untrusted-certificate' && failure.node !== null) this.#trusted.set(failure.node, false);
        sink.onFailure(failure);
      },
    };
  }

  /** Counts trusted and untrusted certificates of ready nodes. */
  #count(): { readonly checked: number; readonly untrusted: number; readonly mostUntrusted: boolean; readonly mostTrusted: boolean } {
    const { reader } = this.#dependencies;
    for (const name of this.#trusted.keys()) if (reader.findNode(name) === undefined) this.#trusted.delete(name);
    const ready = [...reader.nodes()].filter((node) => node.ready);
    const checked = ready.flatMap(({ name }) => this.#trusted.get(name) ?? []);
    const untrusted = checked.filter((trusted) => !trusted).length;
    const trusted = checked.length - untrusted;
    return { checked: checked.length, untrusted, mostUntrusted: untrusted > trusted, mostTrusted: trusted > untrusted };
  }

  #untrusted(): string {
    const { checked, untrusted } = this.#count();
    return `the certificates of ${untrusted} of ${checked} kubelets are not of the cluster's CA: ${UNTRUSTED_REMEDY}`;
  }
}

/** Wraps the sink so that readings still in flight when `stop` aborts are dropped. */
function abortableSink(sink: UsageSink, stop: AbortSignal): UsageSink {
  return {
    onUsage: (reading) => stop.aborted || sink.onUsage(reading),
    onSummary: (reading) => stop.aborted || sink.onSummary(reading),
    onFailure: (failure) => stop.aborted || sink.onFailure(failure),
    onDropped: (reason, count) => stop.aborted || sink.onDropped(reason, count),
  };
}

const NO_SINK: UsageSink = {
  onUsage: () => undefined,
  onSummary: () => undefined,
  onFailure: () => undefined,
  onDropped: () => undefined,
};
