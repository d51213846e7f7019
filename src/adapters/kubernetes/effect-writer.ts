import { EFFECTS_MANAGER } from '../../core/model/field-managers.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { EffectWriter, JsonPatchOperation, PodResize, WorkloadRestart, WorkloadScale, WriteOutcome } from '../../ports/writers.ts';
import { refusalByServer } from './refusal-message.ts';
import { HPAS, objectPath, PODS, RESTARTED_AT } from './resources.ts';
import { resizePatch } from './resize-patch.ts';
import { asObject } from './wire.ts';
import { writeOutcome } from './write-outcome.ts';

/** Writes what changes what runs: the narrowest patch each, under conditions that the server itself checks. */
export class KubernetesEffectWriter implements EffectWriter {
  readonly #transport: ApiTransport;
  readonly #fieldManager: string;

  /** @param fieldManager under this name the server keeps which values were ours: an uninstall puts back those alone */
  constructor(transport: ApiTransport, fieldManager: string = EFFECTS_MANAGER) {
    this.#transport = transport;
    this.#fieldManager = fieldManager;
  }

  /**
   * Reads the pod first: JSON patches address containers by index and compare values by spelling, and a record in memory
   * has neither. All containers change in one patch, or none does.
   */
  async resizePod(resize: PodResize, signal: AbortSignal): Promise<WriteOutcome> {
    const path = objectPath(PODS, resize.namespace, resize.pod);
    const read = await this.#transport.request({ method: 'GET', path, signal });
    const found = writeOutcome(`reading pod ${resize.namespace}/${resize.pod}`, read);
    if (found.kind !== 'done') return found;
    const patch = resizePatch(resize, asObject(read.body, path));
    switch (patch.kind) {
      case 'patch': {
        const outcome = await this.#jsonPatch(objectPath(PODS, resize.namespace, resize.pod, 'resize'), patch.operations, signal);
        return outcome.kind === 'refused' ? { ...outcome, code: refusalByServer(outcome.message) } : outcome;
      }
      case 'same':
        return { kind: 'done' };
      case 'conflict':
      case 'gone':
        return patch;
    }
  }

  /** A disruption budget that forbids it is `refused` with status 429. */
  async evictPod(
    pod: { readonly namespace: string; readonly pod: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const path = objectPath(PODS, pod.namespace, pod.pod, 'eviction');
    const response = await this.#transport.request({
      method: 'POST',
      path,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod.pod, namespace: pod.namespace },
        // Without it an eviction that comes late would take the pod's successor of the same name.
        deleteOptions: { preconditions: { uid: pod.uid } },
      },
      signal,
    });
    return writeOutcome(`evicting pod ${pod.namespace}/${pod.pod}`, response);
  }

  async patchHpa(
    hpa: { readonly namespace: string; readonly name: string; readonly resourceVersion: string },
    patch: readonly JsonPatchOperation[],
    signal: AbortSignal,
  ): Promise<WriteOutcome> {
    const guard: JsonPatchOperation = { op: 'test', path: '/metadata/resourceVersion', value: hpa.resourceVersion };
    return this.#jsonPatch(objectPath(HPAS, hpa.namespace, hpa.name), [guard, ...patch], signal);
  }

  /** A count of 0 is left out on the wire, so that there is nothing to compare: the version tells then. */
  async scaleWorkload({ path, from, to, resourceVersion }: WorkloadScale, signal: AbortSignal): Promise<WriteOutcome> {
    const guard: JsonPatchOperation =
      from > 0
        ? { op: 'test', path: '/spec/replicas', value: from }
        : { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
    return this.#jsonPatch(`${path}/scale`, [guard, { op: 'add', path: '/spec/replicas', value: to }], signal);
  }

  /** As `kubectl rollout restart` does it. */
  async restartWorkload({ path, resourceVersion, restartedAt, annotations }: WorkloadRestart, signal: AbortSignal): Promise<WriteOutcome> {
    const response = await this.#transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: this.#fieldManager },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: {
        metadata: { resourceVersion, annotations },
        spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } },
      },
      signal,
    });
    return writeOutcome(`restarting ${path}`, response);
  }

  async #jsonPatch(path: string, operations: readonly JsonPatchOperation[], signal: AbortSignal): Promise<WriteOutcome> {
    const response = await this.#transport.request({
      method: 'PATCH',
      path,
      query: { fieldManager: this.#fieldManager },
      headers: { 'content-type': 'application/json-patch+json' },
      body: operations,
      signal,
    });
    return writeOutcome(`patching ${path}`, response);
  }
}
