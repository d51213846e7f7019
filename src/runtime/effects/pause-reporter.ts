// Reports when the ConfigMap evenkeel-pause starts and stops blocking changes: a metric, a log line, an Event and listeners.

import type { Instant } from '#kube/units';
import { isoTime } from '#kube/time/iso-time';
import type { Clock } from '../../ports/clock.ts';
import type { PauseRecord } from '../../ports/cluster/cluster-feed.ts';
import type { ClusterReader } from '../../ports/cluster/cluster-reader.ts';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Gauge, Metrics } from '../../ports/metrics.ts';
import { describePause } from '../../core/model/describe-pause.ts';

export interface PauseReporterDependencies {
  readonly clock: Clock;
  readonly cluster: Pick<ClusterReader, 'subscribe'>;
  /** The pause in force; null where there is none. */
  readonly activePause: (now: Instant) => PauseRecord | null;
  /** `namespace/name` of the ConfigMap. */
  readonly configMap: { readonly namespace: string; readonly name: string };
  /** Only the leader writes Events, so that several replicas do not repeat them. */
  readonly isLeader: () => boolean;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Compares the pause in force with the last reported one after each change of the ConfigMap and at the end of the pause. */
export class PauseReporter {
  readonly #dependencies: PauseReporterDependencies;
  readonly #gauge: Gauge;
  readonly #listeners = new Set<() => void>();
  #reported: PauseRecord | null = null;
  #unsubscribe: () => void = () => undefined;
  #cancelEnd: () => void = () => undefined;

  constructor(dependencies: PauseReporterDependencies) {
    this.#dependencies = dependencies;
    this.#gauge = dependencies.metrics.gauge({
      name: 'evenkeel_paused',
      help: '1 while the ConfigMap evenkeel-pause blocks every change to workloads, otherwise 0.',
    });
    this.#gauge.set(0);
  }

  /** Reports a pause that is already in force, and every change from then on. */
  start(): void {
    this.#unsubscribe = this.#dependencies.cluster.subscribe((change) => {
      if (change.kind === 'pause') this.#update();
    });
    this.#update();
  }

  /** Records the Event of a pause that began while this replica did not lead. */
  recordInForce(): void {
    if (this.#reported !== null) this.#recordEvent(this.#reported, this.#reported.uid);
  }

  stop(): void {
    this.#unsubscribe();
    this.#cancelEnd();
  }

  /** Calls the listener after each start, change and end of a pause. @returns a function that ends the subscription */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #update(): void {
    const { clock, activePause } = this.#dependencies;
    this.#cancelEnd();
    const pause = activePause(clock.now());
    if (pause !== null && pause.until !== null) this.#cancelEnd = clock.schedule(pause.until, () => this.#update());
    const before = this.#reported;
    if (isSamePause(before, pause)) return;
    this.#reported = pause;
    this.#gauge.set(pause === null ? 0 : 1);
    this.#report(pause, before);
    for (const listener of this.#listeners) listener();
  }

  #report(pause: PauseRecord | null, before: PauseRecord | null): void {
    const { logger, isLeader, configMap } = this.#dependencies;
    const source = `${configMap.namespace}/${configMap.name}`;
    if (pause === null) logger.info('The pause ended; changes are allowed again', { configMap: source });
    else logger.warn('Every change is paused', { configMap: source, ...pauseFields(pause) });
    const uid = (pause ?? before)?.uid;
    if (isLeader() && uid !== undefined) this.#recordEvent(pause, uid);
  }

  #recordEvent(pause: PauseRecord | null, uid: string): void {
    const { events, configMap } = this.#dependencies;
    events.record({
      subject: { apiVersion: 'v1', kind: 'ConfigMap', ...configMap, uid },
      type: pause === null ? 'Normal' : 'Warning',
      reason: pause === null ? 'Resumed' : 'Paused',
      action: pause === null ? 'Resume' : 'Pause',
      message: pause === null ? 'The pause ended: changes are allowed again' : `${describePause(pause)}. Delete this ConfigMap to resume`,
    });
  }
}

function pauseFields({ until, reason }: PauseRecord): Readonly<Record<string, string>> {
  return { ...(reason === '' ? {} : { reason }), ...(until === null ? {} : { until: isoTime(until) }) };
}

function isSamePause(a: PauseRecord | null, b: PauseRecord | null): boolean {
  return a === b || (a !== null && b !== null && a.until === b.until && a.reason === b.reason && a.uid === b.uid);
}
