// Records all values that Recommendations publish and all values that pods get, by watching both.

import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import { readRequestsAndLimits } from '../../src/core/recommendations/quantities.ts';
import type { StateAndReason } from '../eventually.ts';
import { type ClusterClient, PATHS, type Pod, type Resources } from './cluster-client.ts';
import { followObjects } from './follow-objects.ts';
import type { TestFixture } from './processes.ts';

/** Watches pods and Recommendations of a cluster until the fixture ends. */
export class ResizeWatch {
  /** Values of pods by `workload/container`, starting with the first. */
  readonly given = new Map<string, Set<string>>();
  /** Values published by Recommendations, by `workload/container`. */
  readonly promised = new Map<string, Set<string>>();
  /** Names of all pods so far. */
  readonly pods = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #latest = new Map<string, Recommendation>();
  #failure: unknown = null;

  static async begin(fixture: TestFixture, cluster: ClusterClient): Promise<ResizeWatch> {
    const watch = new ResizeWatch();
    const stop = new AbortController();
    const look = (): void => watch.#look();
    const following = Promise.all([
      followObjects(cluster, PATHS.pods, stop.signal, (pod) => watch.#onPod(pod as Pod), look),
      followObjects(cluster, PATHS.recommendations, stop.signal, (object) => watch.#onRecommendation(object as Recommendation), look),
    ]).catch((err: unknown) => {
      watch.#failure = err;
      watch.#look();
    });
    fixture.addCleanup(async () => {
      stop.abort(new Error('the test is over'));
      await following;
      if (watch.#failure !== null) throw new Error('the watch failed', { cause: watch.#failure });
    });
    return watch;
  }

  /** Number of changes so far, over all containers. */
  get changes(): number {
    return [...this.given.values()].reduce((sum, values) => sum + values.size - 1, 0);
  }

  /** Number of changes so far of a workload's containers. */
  changesOf(workload: string): number {
    return [...this.given].reduce((sum, [container, values]) => sum + (container.startsWith(`${workload}/`) ? values.size - 1 : 0), 0);
  }

  /** Values that pods got for a `workload/container`, in order, starting with the first. */
  valuesOf(container: string): readonly ReturnType<typeof readRequestsAndLimits>[] {
    return [...(this.given.get(container) ?? [])].map((text) => JSON.parse(text) as ReturnType<typeof readRequestsAndLimits>);
  }

  /** The latest version of each Recommendation. */
  get recommendations(): readonly Recommendation[] {
    return [...this.#latest.values()];
  }

  /** Resolves at the event that makes the condition true. */
  until(what: StateAndReason, withinMs: number, isMet: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (this.#failure === null && !isMet()) return;
        clearTimeout(timer);
        this.#listeners.delete(check);
        if (this.#failure === null) resolve();
        else reject(new Error(`${what}: the watch failed`, { cause: this.#failure }));
      };
      const timer = setTimeout(() => {
        this.#listeners.delete(check);
        const states = this.recommendations.map(
          ({ metadata, status }) => `${metadata.name}: ${String(status?.state)} ${String(status?.message)}`,
        );
        reject(new Error(`${what}: not within ${withinMs} ms; ${this.changes} changes seen; ${states.join('; ')}`));
      }, withinMs);
      this.#listeners.add(check);
      check();
    });
  }

  /** Resolves at the `count`th event from now; rejects when the signal aborts. */
  events(count: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let remaining = count;
      const check = (): void => {
        remaining -= 1;
        if (remaining > 0) return;
        this.#listeners.delete(check);
        resolve();
      };
      signal.addEventListener('abort', () => {
        this.#listeners.delete(check);
        reject(signal.reason as Error);
      });
      this.#listeners.add(check);
    });
  }

  /** Values of pods that no Recommendation had published, except the first of each container. */
  get unpromised(): readonly string[] {
    return [...this.given].flatMap(([container, values]) =>
      [...values].slice(1).flatMap((value) => (this.promised.get(container)?.has(value) === true ? [] : [`${container}: ${value}`])),
    );
  }

  #look(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #onPod({ metadata, spec }: Pod): void {
    this.pods.add(metadata.name);
    for (const { name, resources } of spec.containers) addValue(this.given, `${metadata.labels?.['app'] ?? ''}/${name}`, resources);
  }

  #onRecommendation(recommendation: Recommendation): void {
    const { spec, status = {}, metadata } = recommendation;
    this.#latest.set(metadata.name, recommendation);
    const published = [status.apply?.containers, status.lastApplied?.containers, status.previous?.containers];
    for (const container of published.flatMap((containers) => containers ?? []))
      addValue(this.promised, `${spec.targetRef.name}/${container.name}`, container);
  }
}

function addValue(values: Map<string, Set<string>>, container: string, resources: Resources | undefined): void {
  const texts = values.get(container) ?? new Set();
  values.set(container, texts.add(JSON.stringify(readRequestsAndLimits(resources))));
}
