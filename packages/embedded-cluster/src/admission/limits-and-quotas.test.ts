import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aWirePod } from '../../testing/workloads.ts';
import { FakeClusterAccess } from '../../testing/fake-cluster-access.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Pod, WireResources } from '../controllers/wire/pod.ts';
import { embeddedStrategies } from './index.ts';

function aCluster(): FakeClusterAccess {
  return new FakeClusterAccess(new ManualClock(), { strategies: embeddedStrategies() });
}

function aPod(name: string, resources: WireResources | undefined): object {
  const pod = aWirePod({ name }) as unknown as Pod;
  const [container] = pod.spec.containers;
  if (resources === undefined) delete container!.resources;
  else container!.resources = resources;
  return pod;
}

describe('a LimitRange', () => {
  function bounded(limits: object[]): FakeClusterAccess {
    const cluster = aCluster();
    cluster.create('limitranges', { kind: 'LimitRange', metadata: { name: 'bounds', namespace: 'shop' }, spec: { limits } });
    return cluster;
  }

  test('sets the defaults of containers, and adds an annotation', () => {
    const cluster = bounded([{ type: 'Container', default: { memory: '256Mi' }, defaultRequest: { memory: '128Mi' } }]);
    const pod = cluster.create('pods', aPod('web-1', { requests: { cpu: '100m' } })) as Pod;
    expect(pod.spec.containers[0]!.resources).toEqual({ requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } });
    expect(pod.metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: memory request for container main; memory limit for container main',
    );
  });

  test.each([
    ['too little', { min: { cpu: '100m' } }, { requests: { cpu: '50m' } }, 'minimum cpu usage per Container is 100m, but request is 50m'],
    [
      'nothing where something is asked',
      { min: { memory: '1Mi' } },
      { requests: { cpu: '1' } },
      'minimum memory usage per Container is 1Mi. No request is specified',
    ],
    ['too much', { max: { cpu: '1' } }, { limits: { cpu: '2' } }, 'maximum cpu usage per Container is 1, but limit is 2'],
    [
      'too far apart',
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '100m' }, limits: { cpu: '400m' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000',
    ],
  ])('refuses %s', (_, item, resources, words) => {
    const cluster = bounded([{ type: 'Container', ...item }]);
    expect(() => cluster.create('pods', aPod('web-1', resources))).toThrow(words);
  });
});

describe('a ResourceQuota', () => {
  function quoted(hard: Record<string, string>): FakeClusterAccess {
    const cluster = aCluster();
    cluster.create('resourcequotas', { kind: 'ResourceQuota', metadata: { name: 'team', namespace: 'shop' }, spec: { hard } });
    return cluster;
  }

  test('refuses objects that would exceed it, with the message of a real cluster', () => {
    const cluster = quoted({ 'requests.cpu': '1', pods: '10' });
    cluster.create('pods', aPod('web-1', { requests: { cpu: '800m' } }));
    expect(() => cluster.create('pods', aPod('web-2', { requests: { cpu: '300m' } }))).toThrow(
      'pods "web-2" is forbidden: exceeded quota: team, requested: requests.cpu=300m, used: requests.cpu=800m, limited: requests.cpu=1',
    );
  });

  test('refuses a pod that does not set a limited resource', () => {
    expect(() => quoted({ 'limits.memory': '1Gi' }).create('pods', aPod('web-1', { requests: { cpu: '1' } }))).toThrow(
      'failed quota: team: must specify limits.memory for: main',
    );
  });

  test('counts objects', () => {
    const cluster = quoted({ 'count/configmaps': '1' });
    const aConfigMap = (name: string): object => ({ kind: 'ConfigMap', metadata: { name, namespace: 'shop' } });
    cluster.create('configmaps', aConfigMap('a'));
    expect(() => cluster.create('configmaps', aConfigMap('b'))).toThrow('exceeded quota: team, requested: count/configmaps=1');
  });

  test('is never exceeded, whatever the requests and their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 12 }), (requests) => {
        const cluster = quoted({ 'requests.cpu': '1500m' });
        for (const [index, cpu] of requests.entries()) {
          try {
            cluster.create('pods', aPod(`web-${String(index)}`, { requests: { cpu: `${String(cpu)}m` } }));
          } catch {
            // refused: that is the rule under test
          }
        }
        const pods = cluster.list('pods') as unknown as Pod[];
        const used = pods.reduce((sum, { spec }) => sum + Number.parseInt(spec.containers[0]!.resources!.requests!['cpu']!, 10), 0);
        return used <= 1500;
      }),
    );
  });
});
