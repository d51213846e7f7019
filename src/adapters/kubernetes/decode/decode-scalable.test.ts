import { describe, expect, test } from '@jest/globals';
import type { WorkloadRecord } from '#kube/records/workload';
import { scalableReader } from './decode-scalable.ts';
import { Interner } from './interner.ts';
import type { ApiResource } from '../resources.ts';
import { decoder, type Wire } from '../wire.ts';

const ROLLOUTS: ApiResource = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true };
const USUAL = { desired: '.spec.replicas', current: '.status.replicas' };
const METADATA = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 5, labels: { team: 'web' } };
const TEMPLATE = {
  spec: {
    containers: [{ name: 'app', image: 'web:1', resources: { requests: { cpu: '250m', memory: '64Mi' } } }],
    nodeSelector: { zone: 'a' },
  },
};

function read(parts: object, paths = USUAL): WorkloadRecord {
  const decoded = decoder((wire: Wire) => scalableReader(ROLLOUTS, paths)(wire, new Interner()))({ metadata: METADATA, ...parts });
  if (!decoded.ok) throw new Error(decoded.problem);
  return decoded.record;
}

describe('a workload of a kind with a scale subresource', () => {
  test('is decoded like a Deployment where it has the same fields', () => {
    const spec = { replicas: 3, template: TEMPLATE };
    expect(read({ spec, status: { replicas: 3, updatedReplicas: 3, readyReplicas: 2, observedGeneration: '5' } })).toMatchObject({
      namespace: 'shop',
      kind: 'Rollout',
      name: 'web',
      apiVersion: 'argoproj.io/v1alpha1',
      plural: 'rollouts',
      scalable: true,
      labels: { team: 'web' },
      containers: [{ name: 'app', image: 'web:1', requests: { cpuMillicores: 250, memoryBytes: 64 * 2 ** 20 } }],
      placement: { nodeSelector: { zone: 'a' } },
      replicas: { desired: 3, current: 3, ready: 2 },
      rolloutInProgress: false,
    });
  });

  test('has its replicas at the path of its CRD', () => {
    const paths = { desired: '.spec.pool.size', current: '.status.members' };
    const { replicas, scalable } = read({ spec: { pool: { size: 4 } }, status: { members: 3 } }, paths);
    expect({ replicas, scalable }).toEqual({ replicas: { desired: 4, current: 3, ready: 3 }, scalable: true });
  });

  test.each<[string, object]>([
    ['leads nowhere', { spec: {}, status: { replicas: 2 } }],
    ['leads to no number', { spec: { replicas: { min: 1, max: 3 } }, status: { replicas: 2 } }],
    ['leads through a text', { spec: 'three', status: { replicas: 2 } }],
    ['leads to a fraction', { spec: { replicas: 1.5 }, status: { replicas: 2 } }],
  ])('is not scaled where that path %s', (_, parts) => {
    const record = read(parts);
    expect(record.replicas).toEqual({ desired: 2, current: 2, ready: 2 });
    expect(record.scalable).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['no template', undefined],
    ['a template that is a text', 'web.yaml'],
    ['a template without a pod', { spec: { size: 3 } }],
    ['containers by name', { spec: { containers: { app: {} } } }],
  ])('has no containers of its own with %s', (_, template) => {
    const record = read({ spec: { replicas: 1, template, updateStrategy: 'RollingUpdate' } });
    expect(record.containers).toEqual([]);
    expect(record.placement).toBeUndefined();
  });

  test('is rejected with the field where its template has a malformed quantity', () => {
    const template = { spec: { containers: [{ name: 'app', resources: { requests: { cpu: 'much' } } }] } };
    expect(() => read({ spec: { template } })).toThrow(/spec\.template\.spec\.containers\[app\]\.resources/);
  });

  test.each<[string, object, boolean]>([
    ['whose controller has not seen the newest spec rolls out, by a text', { observedGeneration: '4', replicas: 2 }, true],
    ['whose controller has not seen the newest spec rolls out, by a number', { observedGeneration: 4, replicas: 2 }, true],
    ['whose controller writes a hash for its generation does not', { observedGeneration: '5d4c6', replicas: 2 }, false],
    ['with old pods left rolls out', { replicas: 3, updatedReplicas: 1 }, true],
    ['of which no pod is new yet rolls out', { replicas: 3, stableRS: 'abc', currentPodHash: 'def' }, true],
    ['that is all of one revision does not roll out', { replicas: 3, updatedReplicas: 3, stableRS: 'abc', currentPodHash: 'abc' }, false],
    ['of which nothing is reported does not roll out', {}, false],
  ])('one %s', (_, status, expected) => {
    expect(read({ spec: { replicas: 2 }, status }).rolloutInProgress).toBe(expected);
  });

  test('that is paused does not roll out a changed template', () => {
    expect(read({ spec: { paused: true } }).rolloutHeld).toBe('paused');
    expect(read({ spec: { paused: 'never' } }).rolloutHeld).toBeUndefined();
  });
});
