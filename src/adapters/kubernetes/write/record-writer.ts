import { omitEmpty } from '../../../core/model/encoding/omit-empty.ts';
import type { ApiTransport, PatchType } from '#kube/api-transport';
import type { ApplyOptions, OwnObject, RecordWriter, WriteOutcome } from '../../../ports/cluster/writers.ts';
import { apiVersionOf, objectPath, ownResource } from '../resources.ts';
import { writeOutcome } from './write-outcome.ts';

type OutcomeWithObject = WriteOutcome & { readonly object?: unknown };

interface Patch {
  readonly path: string;
  readonly type: PatchType;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string | boolean | undefined>>;
  readonly signal: AbortSignal | undefined;
}

const DELETE_OPTIONS = { apiVersion: 'v1', kind: 'DeleteOptions' };
const ANNOTATION_PREFIX = 'evenkeel.io/';
/** Field manager of annotations on objects of other owners. */
const ANNOTATOR = 'evenkeel';

/** Writes Evenkeel's own records: custom resources and annotations. It never changes pods or replicas. */
export class KubernetesRecordWriter implements RecordWriter {
  readonly #transport: ApiTransport;

  constructor(transport: ApiTransport) {
    this.#transport = transport;
  }

  async apply(object: OwnObject, body: object, options: ApplyOptions, signal?: AbortSignal): Promise<OutcomeWithObject> {
    return this.#serverSideApply(object, body, options, undefined, signal);
  }

  async applyStatus(object: OwnObject, status: object, options: ApplyOptions, signal?: AbortSignal): Promise<OutcomeWithObject> {
    return this.#serverSideApply(object, { status: omitEmpty(status) }, options, 'status', signal);
  }

  async patchIntent(
    object: OwnObject,
    patch: object,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager: string },
    signal?: AbortSignal,
  ): Promise<OutcomeWithObject> {
    return this.#patch({
      path: objectPath(ownResource(object.plural), object.namespace, object.name),
      type: 'application/merge-patch+json',
      body: withResourceVersion(patch, options.resourceVersion),
      query: { fieldManager: options.fieldManager, dryRun: dryRunOf(options.dryRun) },
      signal,
    });
  }

  async delete(
    object: OwnObject,
    signal?: AbortSignal,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean } = {},
  ): Promise<WriteOutcome> {
    const path = objectPath(ownResource(object.plural), object.namespace, object.name);
    const query = options.dryRun === true ? { query: { dryRun: 'All' } } : {};
    const { resourceVersion } = options;
    const body = resourceVersion === undefined ? {} : { body: { ...DELETE_OPTIONS, preconditions: { resourceVersion } } };
    const response = await this.#transport.request({ method: 'DELETE', path, ...query, ...body, ...withSignal(signal) });
    const outcome = writeOutcome(`deleting ${path}`, response);
    return outcome.kind === 'done' && options.dryRun === true ? { kind: 'dry-run' } : outcome;
  }

  /** @throws Error where an annotation is outside evenkeel.io/, which is a bug in the caller */
  async annotate(
    path: string,
    annotations: Readonly<Record<string, string | null>>,
    options: { readonly resourceVersion?: string; readonly dryRun?: boolean; readonly fieldManager?: string },
    signal?: AbortSignal,
  ): Promise<OutcomeWithObject> {
    const foreign = Object.keys(annotations).find((key) => !key.startsWith(ANNOTATION_PREFIX));
    if (foreign !== undefined) throw new Error(`annotation "${foreign}" is not under ${ANNOTATION_PREFIX}`);
    return this.#patch({
      path,
      type: 'application/merge-patch+json',
      body: withResourceVersion({ metadata: { annotations } }, options.resourceVersion),
      query: { fieldManager: options.fieldManager ?? ANNOTATOR, dryRun: dryRunOf(options.dryRun) },
      signal,
    });
  }

  // Forced: Evenkeel owns its fields regardless of their last manager.
  #serverSideApply(
    object: OwnObject,
    body: object,
    { fieldManager, resourceVersion }: ApplyOptions,
    subresource: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeWithObject> {
    const resource = ownResource(object.plural);
    const { metadata } = withResourceVersion({ metadata: {}, ...body }, resourceVersion);
    return this.#patch({
      path: objectPath(resource, object.namespace, object.name, subresource),
      type: 'application/apply-patch+yaml',
      body: {
        ...body,
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: { ...metadata, name: object.name, ...(object.namespace === null ? {} : { namespace: object.namespace }) },
      },
      query: { fieldManager, force: true },
      signal,
    });
  }

  async #patch(patch: Patch): Promise<OutcomeWithObject> {
    const response = await this.#transport.request({
      method: 'PATCH',
      path: patch.path,
      query: patch.query,
      headers: { 'content-type': patch.type },
      body: patch.body,
      ...withSignal(patch.signal),
    });
    const outcome = writeOutcome(`patching ${patch.path}`, response);
    if (outcome.kind !== 'done') return outcome;
    return { kind: patch.query['dryRun'] === undefined ? 'done' : 'dry-run', object: response.body };
  }
}

// A resourceVersion in a patch makes the write conditional.
function withResourceVersion<T extends object>(patch: T, resourceVersion: string | undefined): T {
  if (resourceVersion === undefined) return patch;
  const metadata = 'metadata' in patch ? (patch.metadata as object) : {};
  return { ...patch, metadata: { ...metadata, resourceVersion } };
}

function dryRunOf(dryRun: boolean | undefined): string | undefined {
  return dryRun === true ? 'All' : undefined;
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
