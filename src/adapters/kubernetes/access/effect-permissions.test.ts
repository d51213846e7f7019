import { expect, test } from '@jest/globals';
import { FakeTransport } from '../../../../test/fakes/clients/fake-transport.ts';
import type { EffectKind, EffectWriteOf } from '../../../core/effects/effect.ts';
import type { NamespacedRef } from '../../../core/model/object-ref.ts';
import { EFFECT_WRITERS, kubernetesEffectWriter } from '../write/effect-writer.ts';
import { EFFECT_PERMISSIONS } from './permissions.ts';
import { nameOf } from '../transport/request-names.ts';
import * as resources from '../resources.ts';
import { apiVersionOf, resourceName, type ApiResource } from '../resources.ts';

const { PODS, HPAS, DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, REPLICA_SETS, JOBS, CRON_JOBS } = resources;
const SIZE = (cpuMillicores: number) => ({
  requests: { cpuMillicores, memoryBytes: null },
  limits: { cpuMillicores: null, memoryBytes: null },
});

/** One write of each kind of effect, with its possible targets. */
const WRITES: {
  readonly [K in EffectKind]: { readonly on: readonly ApiResource[]; readonly write: (target: NamespacedRef) => EffectWriteOf<K> };
} = {
  resize: {
    on: [PODS],
    write: (target) => ({ kind: 'resize', target, uid: 'u', containers: [{ name: 'main', from: SIZE(200), to: SIZE(100) }] }),
  },
  evict: { on: [PODS], write: (target) => ({ kind: 'evict', target, uid: 'u' }) },
  patchHpa: { on: [HPAS], write: (target) => ({ kind: 'patchHpa', target, resourceVersion: '1', patch: [] }) },
  scale: {
    on: [DEPLOYMENTS, STATEFUL_SETS, REPLICA_SETS],
    write: (target) => ({ kind: 'scale', target, from: 2, to: 1, resourceVersion: '1' }),
  },
  restart: {
    on: [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, REPLICA_SETS, JOBS, CRON_JOBS],
    write: (target) => ({ kind: 'restart', target, resourceVersion: '1', restartedAt: '2026-11-20T00:00:00Z', annotations: {} }),
  },
};
const kinds = Object.keys(WRITES) as EffectKind[];

const pod = {
  metadata: { uid: 'u' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '200m' } } }] },
};

test('every kind of effect has a writer and permissions', () => {
  expect(Object.keys(EFFECT_WRITERS).sort()).toEqual(kinds.toSorted());
  expect(Object.keys(EFFECT_PERMISSIONS).sort()).toEqual(kinds.toSorted());
});

test.each(kinds)('%s needs exactly the permissions of its rows', async (kind) => {
  const transport = new FakeTransport(({ method }) => (method === 'GET' ? { body: pod } : {}));
  for (const resource of WRITES[kind].on) {
    const target = { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace: 'shop', name: 'web' };
    const outcome = await kubernetesEffectWriter(transport).write(WRITES[kind].write(target), new AbortController().signal);
    expect(outcome).toEqual({ kind: 'done' });
  }
  const asked = transport.requests.map(nameOf).map(({ verb, resource }) => `${verb} ${resource}`);
  const granted = EFFECT_PERMISSIONS[kind].flatMap(({ resource, subresource, verbs }) =>
    verbs.map((verb) => `${verb} ${resourceName(resource)}${subresource === undefined ? '' : `/${subresource}`}`),
  );
  expect(asked.toSorted()).toEqual(granted.toSorted());
});
