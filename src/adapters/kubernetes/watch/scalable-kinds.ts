// Watches workloads of kinds that are not built in: every namespaced kind with a `scale` subresource that RBAC allows to list and watch.
// Kinds and permissions may appear and disappear at runtime.

import { KUBERNETES_OWNERS, workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ClusterSink, FeedStatus, InformerStatus } from '../../../ports/cluster/cluster-feed.ts';
import { isAllowed } from '../access/access-review.ts';
import { scalableReader } from '../decode/decode-scalable.ts';
import type { Interner } from '../decode/interner.ts';
import { isAborted, sleep } from '../sleep.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorContext } from './reflector-spec.ts';
import { apiVersionOf, resourceName, type ApiResource } from '../resources.ts';
import { ScaleDiscovery } from './scale-discovery.ts';
import { decoder } from '../wire.ts';

/**
 * Interval of discovery. Watching CRDs would be faster, but needs a permission on all of them and the transfer of every schema; an
 * unchanged discovery answer is empty.
 */
const DISCOVER_EVERY_MS: DurationMs = 30 * SECOND_MS;
/**
 * A kind whose watch has failed for longer is removed at the next discovery, within two minutes. An open watch receives a bookmark each
 * minute.
 */
const STALE_AFTER_MS: DurationMs = 1.5 * MINUTE_MS;
/** Maximum kinds, since each has an open watch, and watches share few connections to the API server. */
const MAX_KINDS = 20;

/** Kinds that the CRD of Recommendation accepts. */
const RECOMMENDABLE = /^[A-Z][A-Za-z0-9]{0,62}$/;

/** A watched kind. */
export interface ReadKind {
  readonly resource: ApiResource;
  readonly informer: InformerStatus;
  /** Objects without a replica count at the path of their CRD; null: none. */
  readonly withoutReplicas: { readonly count: number; readonly first: string; readonly path: string } | null;
}

export interface ScalableKindsStatus {
  readonly read: readonly ReadKind[];
  readonly notPermitted: readonly ApiResource[];
  /** Permitted kinds that are not watched, with the reason. */
  readonly leftOut: readonly { readonly resource: ApiResource; readonly why: string }[];
  /** Why discovery failed; null: it succeeded. */
  readonly problem: string | null;
}

interface Reading {
  readonly resource: ApiResource;
  status(): ReadKind;
  /** Ends the watch and deletes every record. */
  stop(): Promise<void>;
}

export interface ScalableKindsDependencies {
  readonly context: ReflectorContext;
  readonly interner: Interner;
  readonly sink: Pick<ClusterSink, 'apply'>;
  /** Freshness of the kinds that every decision needs. */
  readonly feed: Pick<FeedStatus, 'confirmedAt'>;
}

/** Discovers scalable kinds and runs one reflector for each. */
export class ScalableKinds {
  readonly #dependencies: ScalableKindsDependencies;
  readonly #discovery: ScaleDiscovery;
  readonly #readings = new Map<string, Reading>();
  #notPermitted: readonly ApiResource[] = [];
  #leftOut: ScalableKindsStatus['leftOut'] = [];
  #problem: string | null = null;

  constructor(dependencies: ScalableKindsDependencies) {
    this.#dependencies = dependencies;
    this.#discovery = new ScaleDiscovery(dependencies.context.transport);
  }

  status(): ScalableKindsStatus {
    return {
      read: [...this.#readings.values()].map((reading) => reading.status()),
      notPermitted: this.#notPermitted,
      leftOut: this.#leftOut,
      problem: this.#problem,
    };
  }

  /** Discovers and watches kinds until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.#refresh(signal);
      await sleep(this.#dependencies.context.timer, DISCOVER_EVERY_MS, signal).catch(() => undefined);
    }
    await Promise.all([...this.#readings.values()].map((reading) => reading.stop()));
    this.#readings.clear();
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    // Stale kinds are removed even where discovery fails.
    for (const [name, reading] of this.#readings) if (this.#isStale(reading)) await this.#stop(name, 'its watch is broken');
    try {
      const wanted = await this.#permitted(await this.#discovery.resources(signal), signal);
      for (const [name, { resource }] of this.#readings) {
        if (!wanted.some((each) => isSame(each, resource))) await this.#stop(name, 'it is no longer served or permitted');
      }
      for (const resource of wanted) if (!this.#readings.has(resourceName(resource))) await this.#read(resource, signal);
      this.#report(null);
    } catch (err) {
      if (!signal.aborted) this.#report(err instanceof Error ? err.message : String(err));
    }
  }

  /** Selects the kinds to watch; the others are recorded with the reason. */
  async #permitted(found: readonly ApiResource[], signal: AbortSignal): Promise<readonly ApiResource[]> {
    const wanted = new Map<string, ApiResource>();
    const notPermitted: ApiResource[] = [];
    const leftOut: { readonly resource: ApiResource; readonly why: string }[] = [];
    for (const resource of found) {
      const same = wanted.get(resource.kind);
      if (!(await this.#mayRead(resource, signal))) notPermitted.push(resource);
      else if (KUBERNETES_OWNERS.has(resource.kind)) leftOut.push({ resource, why: `${resource.kind} is a kind of Kubernetes` });
      else if (!RECOMMENDABLE.test(resource.kind)) leftOut.push({ resource, why: `no Recommendation can name the kind ${resource.kind}` });
      else if (same !== undefined) leftOut.push({ resource, why: `${resource.kind} is a kind of ${resourceName(same)}` });
      else if (wanted.size >= MAX_KINDS) leftOut.push({ resource, why: `${MAX_KINDS} kinds are watched already` });
      else wanted.set(resource.kind, resource);
    }
    this.#notPermitted = notPermitted;
    this.#leftOut = leftOut;
    return [...wanted.values()];
  }

  async #mayRead({ group, plural }: ApiResource, signal: AbortSignal): Promise<boolean> {
    const { transport } = this.#dependencies.context;
    for (const verb of ['list', 'watch']) if (!(await isAllowed(transport, { verb, group, resource: plural }, signal))) return false;
    return true;
  }

  async #read(resource: ApiResource, signal: AbortSignal): Promise<void> {
    const { context, interner, sink } = this.#dependencies;
    const paths = await this.#discovery.replicaPaths(resource, signal);
    const read = scalableReader(resource, paths);
    const withoutReplicas = new Set<string>();
    const reflector = new Reflector<WorkloadRecord>(
      {
        resource,
        required: false,
        foreign: true,
        decode: decoder((wire) => read(wire, interner)),
        onChange: (key, record) => {
          if (record === null || record.scalable === true) withoutReplicas.delete(key);
          else withoutReplicas.add(key);
          const slash = key.indexOf('/');
          const name = workloadKey({ namespace: key.slice(0, slash), kind: resource.kind, name: key.slice(slash + 1) });
          sink.apply({ kind: 'workload', key: name, record });
        },
      },
      context,
    );
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    this.#readings.set(resourceName(resource), {
      resource,
      status: () => ({ resource, informer: reflector.status(), withoutReplicas: firstOf(withoutReplicas, paths.desired) }),
      stop: async () => {
        stop.abort(new Error(`${resourceName(resource)} is no longer watched`));
        await running;
        reflector.clear();
      },
    });
    context.logger.info('Watching workloads of a new kind', { resource: resourceName(resource), version: apiVersionOf(resource) });
  }

  async #stop(name: string, reason: string): Promise<void> {
    const reading = this.#readings.get(name);
    this.#readings.delete(name);
    await reading?.stop();
    this.#dependencies.context.logger.info('Stopped watching workloads of a kind', { resource: name, reason });
  }

  /** False while the API server is unreachable: then no workload is changed, and all records stay. */
  #isStale(reading: Reading): boolean {
    const { context, feed } = this.#dependencies;
    const { confirmedAt } = reading.status().informer;
    const before = context.clock.now() - STALE_AFTER_MS;
    return confirmedAt > 0 && confirmedAt < before && feed.confirmedAt() >= before;
  }

  #report(problem: string | null): void {
    if (problem !== null && problem !== this.#problem)
      this.#dependencies.context.logger.warn('Discovery of kinds with a scale subresource failed; will retry', { problem });
    this.#problem = problem;
  }
}

function isSame(a: ApiResource, b: ApiResource): boolean {
  return resourceName(a) === resourceName(b) && a.version === b.version && a.kind === b.kind;
}

function firstOf(keys: ReadonlySet<string>, path: string): ReadKind['withoutReplicas'] {
  const [first] = keys;
  return first === undefined ? null : { count: keys.size, first, path };
}
