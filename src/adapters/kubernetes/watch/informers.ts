// All informers, and how a selection of them is started.

import { PAUSE_CONFIG_MAP } from '../../../apis/annotations.ts';
import { PLURALS } from '../../../apis/v1alpha1/index.ts';
import { POLICY_KINDS } from '../../../core/policies/policy-kinds.ts';
import type { Instant } from '#kube/units';
import type { ClusterDelta, ClusterKind, ClusterSink, FeedStatus, InformerStatus } from '../../../ports/cluster/cluster-feed.ts';
import { readHpa } from '../decode/decode-hpa.ts';
import { readNode } from '../decode/decode-node.ts';
import { readScaledObject, readVpa } from '../decode/decode-other-managers.ts';
import { readPod } from '../decode/decode-pod.ts';
import { customResourceReader, readDisruptionBudget, readLimitRange, readNamespace, readPause, readQuota } from '../decode/decode-rules.ts';
import { workloadReader } from '../decode/decode-workload.ts';
import { Interner } from '../decode/interner.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorContext, ReflectorSpec } from './reflector-spec.ts';
import * as resources from '../resources.ts';
import { ScalableKinds, type ScalableKindsStatus } from './scalable-kinds.ts';
import { decoder, type Wire } from '../wire.ts';

export interface InformerDependencies extends Omit<ReflectorContext, 'capabilities'> {
  readonly sink: ClusterSink;
  /** Evenkeel's namespace, which contains the pause ConfigMap. */
  readonly namespace: string;
  /** Kinds to watch. `sink` receives no deltas of other kinds. */
  readonly kinds: readonly ClusterKind[];
}

/** All kinds. */
export const ALL_KINDS = [
  'pod',
  'node',
  'namespace',
  'workload',
  'hpa',
  'vpa',
  'scaledobject',
  'budget',
  'limitrange',
  'quota',
  'own',
  'pause',
] as const satisfies readonly ClusterKind[];

/** The running informers. */
export interface KubernetesInformers extends FeedStatus {
  /** Resolves when every required kind is listed. Never rejects: a kind that is refused is retried, and its problem is in `informers()`. */
  readonly whenSynced: Promise<void>;
  /** Kinds with a `scale` subresource that are not built in. They do not affect `synced`, since they can be installed at any time. */
  scalableKinds(): ScalableKindsStatus;
  /** Resolves when every watch is closed. */
  stop(): Promise<void>;
}

/** The part of a reflector that does not depend on its record type. */
type AnyReflector = Pick<Reflector<unknown>, 'run' | 'hasSynced' | 'waitForSync' | 'confirmedAt' | 'status'>;

const WORKLOADS_REQUIRED = [resources.DEPLOYMENTS, resources.STATEFUL_SETS, resources.DAEMON_SETS, resources.REPLICA_SETS];
/** Kinds with user requests: acting on an outdated state could ignore a policy that a user switched off. */
const USER_REQUESTS: ReadonlySet<string> = new Set([
  PLURALS.Recommendation,
  ...POLICY_KINDS.filter(({ gatesEffects }) => gatesEffects).map(({ plural }) => plural),
]);
const WORKLOADS_OPTIONAL = [resources.JOBS, resources.CRON_JOBS];

/** Lists and watches `kinds` and applies the deltas to `sink` until stopped. */
export function startKubernetesInformers(dependencies: InformerDependencies): KubernetesInformers {
  const context: ReflectorContext = { ...dependencies, capabilities: { streamingLists: null } };
  const interner = new Interner();
  const stop = new AbortController();
  const reflectors = reflectorsFor(dependencies, context, interner);
  const status = new Feed(reflectors);
  dependencies.sink.follow(status);
  const kinds = new ScalableKinds({ context, interner, sink: dependencies.sink, feed: status });
  const watched = dependencies.kinds.includes('workload') ? [...reflectors, kinds] : reflectors;
  const running = Promise.all(watched.map((each) => each.run(stop.signal)));
  return {
    whenSynced: Promise.all(reflectors.map((reflector) => reflector.waitForSync())).then(() => undefined),
    isSynced: () => status.isSynced(),
    confirmedAt: () => status.confirmedAt(),
    describeStaleness: () => status.describeStaleness(),
    informers: () => status.informers(),
    scalableKinds: () => kinds.status(),
    stop: async () => {
      stop.abort(new Error('the informers are stopping'));
      await running;
    },
  };
}

class Feed implements FeedStatus {
  readonly #reflectors: readonly AnyReflector[];

  constructor(reflectors: readonly AnyReflector[]) {
    this.#reflectors = reflectors;
  }

  isSynced(): boolean {
    return this.#reflectors.every((reflector) => reflector.hasSynced());
  }

  confirmedAt(): Instant {
    return this.#oldest()?.confirmedAt ?? 0;
  }

  describeStaleness(): string | null {
    const oldest = this.#oldest();
    const problem = oldest?.problem ?? null;
    return oldest === null || problem === null ? null : `${oldest.name}: ${problem}`;
  }

  #oldest(): InformerStatus | null {
    let oldest: InformerStatus | null = null;
    for (const reflector of this.#reflectors) {
      const status = reflector.status();
      if (status.decisive && (oldest === null || status.confirmedAt < oldest.confirmedAt)) oldest = status;
    }
    return oldest;
  }

  informers(): readonly InformerStatus[] {
    return this.#reflectors.map((reflector) => reflector.status());
  }
}

function reflectorsFor(dependencies: InformerDependencies, context: ReflectorContext, interner: Interner): readonly AnyReflector[] {
  const { sink } = dependencies;
  const reflect = <T>(
    resource: resources.ApiResource,
    required: boolean,
    read: (wire: Wire, interner: Interner) => T,
    delta: (key: string, record: T | null) => ClusterDelta,
    scope: Pick<ReflectorSpec<T>, 'namespace' | 'fieldSelector' | 'holdsUserRequests' | 'foreign'> = {},
  ): AnyReflector =>
    new Reflector<T>(
      {
        resource,
        required,
        ...scope,
        decode: decoder((wire) => read(wire, interner)),
        onChange: (key, record) => sink.apply(delta(key, record)),
      },
      context,
    );
  const workloads = (resource: resources.ApiResource, required: boolean): AnyReflector =>
    reflect(resource, required, workloadReader(resource), (key, record) => ({
      kind: 'workload',
      key: workloadKeyOf(resource.kind, key),
      record,
    }));
  const byKind: Readonly<Record<ClusterKind, () => readonly AnyReflector[]>> = {
    pod: () => [reflect(resources.PODS, true, readPod, (key, record) => ({ kind: 'pod', key, record }))],
    node: () => [reflect(resources.NODES, true, readNode, (key, record) => ({ kind: 'node', key, record }))],
    namespace: () => [reflect(resources.NAMESPACES, true, readNamespace, (key, record) => ({ kind: 'namespace', key, record }))],
    workload: () => [
      ...WORKLOADS_REQUIRED.map((resource) => workloads(resource, true)),
      ...WORKLOADS_OPTIONAL.map((resource) => workloads(resource, false)),
    ],
    hpa: () => [reflect(resources.HPAS, true, readHpa, (key, record) => ({ kind: 'hpa', key, record }))],
    vpa: () => [reflect(resources.VPAS, false, readVpa, (key, record) => ({ kind: 'vpa', key, record }), { foreign: true })],
    scaledobject: () => [
      reflect(resources.SCALED_OBJECTS, false, readScaledObject, (key, record) => ({ kind: 'scaledobject', key, record }), {
        foreign: true,
      }),
    ],
    budget: () => [reflect(resources.DISRUPTION_BUDGETS, false, readDisruptionBudget, (key, record) => ({ kind: 'budget', key, record }))],
    limitrange: () => [reflect(resources.LIMIT_RANGES, false, readLimitRange, (key, record) => ({ kind: 'limitrange', key, record }))],
    quota: () => [reflect(resources.RESOURCE_QUOTAS, false, readQuota, (key, record) => ({ kind: 'quota', key, record }))],
    own: () =>
      resources.OWN_RESOURCES.map((resource) =>
        reflect(
          resource,
          false,
          customResourceReader(resource.plural),
          (key, record) => ({ kind: 'own', key: `${resource.plural}/${key}`, record }),
          {
            holdsUserRequests: USER_REQUESTS.has(resource.plural),
          },
        ),
      ),
    pause: () => [
      reflect(resources.CONFIG_MAPS, true, readPause, (key, record) => ({ kind: 'pause', key, record }), {
        namespace: dependencies.namespace,
        fieldSelector: `metadata.name=${PAUSE_CONFIG_MAP}`,
      }),
    ],
  };
  return dependencies.kinds.flatMap((kind) => byKind[kind]());
}

function workloadKeyOf(kind: string, key: string): string {
  const slash = key.indexOf('/');
  // Joined into one string: a template of parts keeps each of them.
  return [key.slice(0, slash), kind, key.slice(slash + 1)].join('/');
}
