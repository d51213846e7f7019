// An object that clients write: applied by field managers, merged, or replaced as a whole.

import { isDeepStrictEqual } from 'node:util';
import { mergePatch } from '#embedded-cluster/patch/merge-patch';
import type { StoredObject } from './resource-store.ts';

export type JsonBody = Readonly<Record<string, unknown>>;

interface Metadata {
  readonly uid: string;
  readonly createdAt: string;
}

/** Field manager of what was created, replaced or merged. */
const UPDATER = 'update';

/**
 * The content is the merge of what each manager applied last, so that a manager's omitted fields disappear. Lists are replaced as a whole:
 * no two managers apply items of one list.
 */
export class JsonObject implements StoredObject {
  readonly key: string;
  version = 0;
  readonly #metadata: Metadata;
  readonly #byManager = new Map<string, JsonBody>();
  #content: JsonBody = {};
  #generation = 0;

  constructor(key: string, metadata: Metadata) {
    this.key = key;
    this.#metadata = metadata;
  }

  /** Returns whether something changed. */
  apply(manager: string, body: JsonBody): boolean {
    this.#byManager.set(manager, body);
    return this.#compose();
  }

  replace(body: JsonBody): boolean {
    this.#byManager.clear();
    return this.apply(UPDATER, body);
  }

  merge(patch: JsonBody): boolean {
    return this.apply(UPDATER, mergePatch(this.#byManager.get(UPDATER) ?? {}, patch) as JsonBody);
  }

  text(): string {
    return JSON.stringify(this.body());
  }

  body(): JsonBody {
    const { uid, createdAt } = this.#metadata;
    const { metadata = {}, ...rest } = this.#content as { readonly metadata?: object };
    const managedFields = [...this.#byManager.keys()].map((manager) => ({
      manager: manager.replace(/\/status$/, ''),
      operation: manager === UPDATER ? 'Update' : 'Apply',
      apiVersion: this.#content['apiVersion'],
      time: createdAt,
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:metadata': {}, 'f:spec': {}, 'f:status': {} },
      ...(manager.endsWith('/status') ? { subresource: 'status' } : {}),
    }));
    const fixed = { uid, creationTimestamp: createdAt, generation: this.#generation, resourceVersion: String(this.version), managedFields };
    return { ...rest, metadata: { ...metadata, ...fixed } };
  }

  #compose(): boolean {
    let content: JsonBody = {};
    for (const body of this.#byManager.values()) content = mergePatch(content, body) as JsonBody;
    if (isDeepStrictEqual(content, this.#content)) return false;
    if (!isDeepStrictEqual(content['spec'], this.#content['spec'])) this.#generation += 1;
    this.#content = content;
    return true;
  }
}
