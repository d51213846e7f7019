// Writes effects: one function per kind, each with a minimal patch under preconditions that the API server checks.

import type {
  EffectKind,
  EffectWriteOf,
  HpaPatch,
  PodEviction,
  PodResize,
  WorkloadRestart,
  WorkloadScale,
} from '../../../core/effects/effect.ts';
import { EFFECTS_MANAGER } from '../../../core/model/field-managers.ts';
import type { JsonPatchOperation } from '../../../core/model/encoding/json-patch.ts';
import { workloadPath } from '#kube/records/workload';
import type { ApiTransport } from '#kube/api-transport';
import type { EffectWriter, WriteOutcome } from '../../../ports/cluster/writers.ts';
import { refusalByServer } from '../refusal-message.ts';
import { HPAS, objectPath, PODS, RESTARTED_AT } from '../resources.ts';
import { resizePatch } from './resize-patch.ts';
import { asObject } from '../wire.ts';
import { writeOutcome } from './write-outcome.ts';

interface Connection {
  readonly transport: ApiTransport;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/** Writer of each kind of effect. */
export const EFFECT_WRITERS: {
  readonly [K in EffectKind]: (connection: Connection, effect: EffectWriteOf<K>) => Promise<WriteOutcome>;
} = {
  resize: resizePod,
  evict: evictPod,
  patchHpa,
  scale: scaleWorkload,
  restart: restartWorkload,
};

/** @param fieldManager manager of the changed fields in managedFields; an uninstall restores only fields of this manager */
export function kubernetesEffectWriter(transport: ApiTransport, fieldManager: string = EFFECTS_MANAGER): EffectWriter {
  const write = <K extends EffectKind>(effect: EffectWriteOf<K> & { readonly kind: K }, signal: AbortSignal): Promise<WriteOutcome> =>
    EFFECT_WRITERS[effect.kind]({ transport, fieldManager, signal }, effect);
  return { write };
}

/**
 * Reads the pod first, since JSON patches address containers by index and compare quantities by spelling, which records in memory do not
 * have. All containers change in one patch.
 */
async function resizePod(connection: Connection, resize: PodResize): Promise<WriteOutcome> {
  const { namespace, name } = resize.target;
  const path = objectPath(PODS, namespace, name);
  const read = await connection.transport.request({ method: 'GET', path, signal: connection.signal });
  const found = writeOutcome(`reading pod ${namespace}/${name}`, read);
  if (found.kind !== 'done') return found;
  const patch = resizePatch(resize, asObject(read.body, path));
  switch (patch.kind) {
    case 'patch': {
      const outcome = await jsonPatch(connection, objectPath(PODS, namespace, name, 'resize'), patch.operations);
      return outcome.kind === 'refused' ? { ...outcome, code: refusalByServer(outcome.message) } : outcome;
    }
    case 'same':
      return { kind: 'done' };
    case 'conflict':
    case 'gone':
      return patch;
  }
}

/** A disruption budget that blocks the eviction yields `refused` with status 429. */
async function evictPod({ transport, signal }: Connection, { target: { namespace, name }, uid }: PodEviction): Promise<WriteOutcome> {
  const response = await transport.request({
    method: 'POST',
    path: objectPath(PODS, namespace, name, 'eviction'),
    body: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
      // Without the precondition a late eviction could hit the pod's successor of the same name.
      deleteOptions: { preconditions: { uid } },
    },
    signal,
  });
  return writeOutcome(`evicting pod ${namespace}/${name}`, response);
}

async function patchHpa(connection: Connection, { target, resourceVersion, patch }: HpaPatch): Promise<WriteOutcome> {
  const guard: JsonPatchOperation = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
  return jsonPatch(connection, objectPath(HPAS, target.namespace, target.name), [guard, ...patch]);
}

/** A count of 0 is absent in JSON and cannot be tested, so the resourceVersion is tested instead. */
async function scaleWorkload(connection: Connection, { target, from, to, resourceVersion }: WorkloadScale): Promise<WriteOutcome> {
  const guard: JsonPatchOperation =
    from > 0
      ? { op: 'test', path: '/spec/replicas', value: from }
      : { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
  return jsonPatch(connection, `${workloadPath(target)}/scale`, [guard, { op: 'add', path: '/spec/replicas', value: to }]);
}

/** Restarts like `kubectl rollout restart`. */
async function restartWorkload(
  { transport, fieldManager, signal }: Connection,
  { target, resourceVersion, restartedAt, annotations }: WorkloadRestart,
): Promise<WriteOutcome> {
  const path = workloadPath(target);
  const response = await transport.request({
    method: 'PATCH',
    path,
    query: { fieldManager },
    headers: { 'content-type': 'application/merge-patch+json' },
    body: {
      metadata: { resourceVersion, annotations },
      spec: { template: { metadata: { annotations: { [RESTARTED_AT]: restartedAt } } } },
    },
    signal,
  });
  return writeOutcome(`restarting ${path}`, response);
}

async function jsonPatch(
  { transport, fieldManager, signal }: Connection,
  path: string,
  operations: readonly JsonPatchOperation[],
): Promise<WriteOutcome> {
  const response = await transport.request({
    method: 'PATCH',
    path,
    query: { fieldManager },
    headers: { 'content-type': 'application/json-patch+json' },
    body: operations,
    signal,
  });
  return writeOutcome(`patching ${path}`, response);
}
