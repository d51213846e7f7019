// Reads the workloads of kinds that are not Kubernetes' own: every namespaced kind with a `scale` subresource that Evenkeel may list
// and watch. Kinds come, go, are permitted and are refused while the process runs.

import { KUBERNETES_OWNERS, workloadKey, type WorkloadRecord } from '#kube/records/workload';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ClusterSink, FeedStatus, InformerStatus } from '../../ports/cluster-feed.ts';
import { isAllowed } from './access-review.ts';
import { scalableReader } from './decode-scalable.ts';
import type { Interner } from './interner.ts';
import { isAborted, pause } from './pause.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorContext } from './reflector-spec.ts';
import { apiVersionOf, resourceName, type ApiResource } from './resources.ts';
import { ScaleDiscovery } from './scale-discovery.ts';
import { decoder } from './wire.ts';

/**
 * How soon a new kind, or a new permission, is found. A watch of definitions would be sooner, and needs a permission on all of them and
 * the transfer of every schema; an answer of discovery that is unchanged is empty.
 */
const LOOK_AGAIN_MS: DurationMs = 30 * SECOND_MS;
/** A kind whose watch is broken for longer is read no longer: with the next look, before two minutes have passed. An open watch is heard each minute. */
const STALE_AFTER_MS: DurationMs = 1.5 * MINUTE_MS;
/** Each is one more open watch of few that share the connections to the API server. */
const MAX_KINDS = 20;

/** As the definition of Recommendation has it. */
const RECOMMENDABLE = /^[A-Z][A-Za-z0-9]{0,62}$/;

/** A kind that is read. */
export interface ReadKind {
  readonly resource: ApiResource;
  readonly informer: InformerStatus;
  /** Objects without a count where the definition says that their replicas are; null: none. */
  readonly withoutReplicas: { readonly count: number; readonly first: string; readonly path: string } | null;
}

export interface ScalableKindsStatus {
  readonly read: readonly ReadKind[];
  readonly notPermitted: readonly ApiResource[];
  /** Permitted, but left out, with the reason. */
  readonly leftOut: readonly { readonly resource: ApiResource; readonly why: string }[];
  /** Why it is not known which kinds there are; null: it is. */
  readonly problem: string | null;
}

interface Reading {
  readonly resource: ApiResource;
  status(): ReadKind;
  /** Ends the watch and withdraws every record. */
  stop(): Promise<void>;
}

export interface ScalableKindsDependencies {
  readonly context: ReflectorContext;
  readonly interner: Interner;
  readonly sink: Pick<ClusterSink, 'apply'>;
  /** Of what every decision is made from. */
  readonly feed: Pick<FeedStatus, 'confirmedAt'>;
}

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

  /** Looks for kinds and reads them until `signal` aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!isAborted(signal)) {
      await this.#look(signal);
      await pause(this.#dependencies.context.timer, LOOK_AGAIN_MS, signal).catch(() => undefined);
    }
    await Promise.all([...this.#readings.values()].map((reading) => reading.stop()));
    this.#readings.clear();
  }

  async #look(signal: AbortSignal): Promise<void> {
    // Without an answer of discovery what is stale must go all the same.
    for (const [name, reading] of this.#readings) if (this.#isStale(reading)) await this.#stop(name, 'its watch is broken');
    try {
      const wanted = await this.#permitted(await this.#discovery.resources(signal), signal);
      for (const [name, { resource }] of this.#readings) {
        if (!wanted.some((each) => isSame(each, resource))) await this.#stop(name, 'it is not served or not permitted any more');
      }
      for (const resource of wanted) if (!this.#readings.has(resourceName(resource))) await this.#read(resource, signal);
      this.#report(null);
    } catch (err) {
      if (!signal.aborted) this.#report(err instanceof Error ? err.message : String(err));
    }
  }

  /** Those that are to be read; the others are reported. */
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
      else if (wanted.size >= MAX_KINDS) leftOut.push({ resource, why: `${MAX_KINDS} kinds are read already` });
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
        stop.abort(new Error(`${resourceName(resource)} is read no longer`));
        await running;
        reflector.clear();
      },
    });
    context.logger.info('Reading workloads of a further kind', { resource: resourceName(resource), version: apiVersionOf(resource) });
  }

  async #stop(name: string, reason: string): Promise<void> {
    const reading = this.#readings.get(name);
    this.#readings.delete(name);
    await reading?.stop();
    this.#dependencies.context.logger.info('Workloads of a kind are read no longer', { resource: name, reason });
  }

  /** Not while the API server is out of reach: then nothing is done about any workload, and all of them stay as they were seen last. */
  #isStale(reading: Reading): boolean {
    const { context, feed } = this.#dependencies;
    const { confirmedAt } = reading.status().informer;
    const before = context.clock.now() - STALE_AFTER_MS;
    return confirmedAt > 0 && confirmedAt < before && feed.confirmedAt() >= before;
  }

  #report(problem: string | null): void {
    if (problem !== null && problem !== this.#problem)
      this.#dependencies.context.logger.warn('Looking for kinds with a scale subresource failed; it is tried again', { problem });
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
