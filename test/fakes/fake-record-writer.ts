import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import type { OwnObject, RecordWriter, WriteOutcome } from '../../src/ports/cluster/writers.ts';
import type { FakeClusterReader } from './fake-cluster-reader.ts';

/** An intent as it was written. */
export interface IntentWritten {
  readonly object: string;
  readonly patch: unknown;
  readonly dryRun: boolean;
}

/** Writes intent into a fake cluster as the API server would, and records the writes. */
export class FakeRecordWriter implements RecordWriter {
  readonly written: IntentWritten[] = [];
  /** Outcome of every write; null: it succeeds. */
  refuseWith: WriteOutcome | null = null;
  /** Metadata of objects on the server that the informers have not seen yet, by path. */
  readonly ahead = new Map<string, { uid: string; resourceVersion: string; annotations: Record<string, string> }>();
  /** Recommendations on the server that the informers have not seen yet, by namespace and name. */
  readonly recommendationsAhead = new Map<string, Recommendation>();
  /** The API server is unreachable. */
  broken = false;
  readonly #cluster: FakeClusterReader;

  constructor(cluster: FakeClusterReader) {
    this.#cluster = cluster;
  }

  async apply(): Promise<WriteOutcome> {
    return { kind: 'done' };
  }

  async applyStatus(): Promise<WriteOutcome> {
    return { kind: 'done' };
  }

  async delete(object: OwnObject, _signal?: AbortSignal, options: { readonly dryRun?: boolean } = {}): Promise<WriteOutcome> {
    const refusal = this.#refusal();
    if (refusal !== null) return refusal;
    const dryRun = options.dryRun === true;
    this.written.push({ object: `${object.namespace ?? ''}/${object.name}`, patch: 'delete', dryRun });
    const isIt = ({ metadata }: Recommendation): boolean => metadata.namespace === object.namespace && metadata.name === object.name;
    if (!this.#cluster.recommendationList.some(isIt)) return { kind: 'gone', message: 'not found' };
    if (!dryRun) this.#cluster.recommendationList = this.#cluster.recommendationList.filter((recommendation) => !isIt(recommendation));
    return { kind: dryRun ? 'dry-run' : 'done' };
  }

  async patchIntent(
    object: OwnObject,
    patch: object,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean },
  ): Promise<WriteOutcome & { readonly object?: unknown }> {
    const dryRun = options.dryRun === true;
    const refusal = this.#refusal();
    if (refusal !== null) return refusal;
    const ahead = this.recommendationsAhead.get(`${object.namespace ?? ''}/${object.name}`);
    if (ahead !== undefined && options.resourceVersion !== undefined && options.resourceVersion !== ahead.metadata.resourceVersion) {
      return { kind: 'conflict', message: 'the object has been modified' };
    }
    // A dry run of an empty patch reads the object.
    if (Object.keys(patch).length === 0 && ahead !== undefined) return { kind: 'dry-run', object: ahead };
    this.written.push({ object: `${object.namespace ?? ''}/${object.name}`, patch, dryRun });
    // For a policy, only the admission by the server is played.
    if (object.plural.endsWith('policies')) return { kind: dryRun ? 'dry-run' : 'done' };
    const before = this.#cluster.recommendationList.find(
      ({ metadata }) => metadata.namespace === object.namespace && metadata.name === object.name,
    );
    if (before === undefined) return { kind: 'gone', message: 'not found' };
    const after = mergePatch(ahead ?? before, patch) as unknown as Recommendation;
    if (!dryRun)
      this.#cluster.recommendationList = this.#cluster.recommendationList.map((recommendation) =>
        recommendation === before ? after : recommendation,
      );
    return { kind: dryRun ? 'dry-run' : 'done', object: after };
  }

  async annotate(
    path: string,
    annotations: Readonly<Record<string, string | null>>,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean },
  ): Promise<WriteOutcome & { readonly object?: unknown }> {
    const dryRun = options.dryRun === true;
    const refusal = this.#refusal();
    if (refusal !== null) return refusal;
    const hidden = this.ahead.get(path);
    if (options.resourceVersion !== undefined && hidden !== undefined && options.resourceVersion !== hidden.resourceVersion) {
      return { kind: 'conflict', message: 'the object has been modified' };
    }
    // A dry run of an empty patch reads the object.
    if (Object.keys(annotations).length > 0) this.written.push({ object: path, patch: { metadata: { annotations } }, dryRun });
    if (!dryRun) this.#annotate(path, annotations);
    return { kind: dryRun ? 'dry-run' : 'done', ...(hidden === undefined ? {} : { object: { metadata: hidden } }) };
  }

  #annotate(path: string, annotations: Readonly<Record<string, string | null>>): void {
    const name = path.split('/').at(-1);
    const patch = { annotations };
    this.#cluster.policyList = this.#cluster.policyList.map((policy) =>
      path.includes('podresizepolicies') && policy.metadata.name === name
        ? (mergePatch(policy, { metadata: patch }) as unknown as typeof policy)
        : policy,
    );
    this.#cluster.workloadList = this.#cluster.workloadList.map((workload) =>
      path.includes(`/namespaces/${workload.namespace}/`) && workload.name === name
        ? (mergePatch(workload, patch) as unknown as typeof workload)
        : workload,
    );
  }

  #refusal(): WriteOutcome | null {
    if (this.broken) throw new Error('connect ECONNREFUSED');
    return this.refuseWith;
  }
}

function mergePatch(target: unknown, patch: unknown): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = typeof target === 'object' && target !== null ? { ...target } : {};
  for (const [key, value] of Object.entries(patch as object)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else if (typeof value === 'object' && !Array.isArray(value)) merged[key] = mergePatch(merged[key], value);
    else merged[key] = value;
  }
  return merged;
}
