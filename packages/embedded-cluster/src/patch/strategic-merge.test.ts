import { describe, expect, test } from '@jest/globals';
import { SchemaRegistry } from '../schema/schema-registry.ts';
import { strategicMerge } from './strategic-merge.ts';

const { resolver } = new SchemaRegistry();

function merged(kind: string, current: unknown, patch: unknown): unknown {
  return strategicMerge({ $ref: `io.k8s.api.${kind}` }, current, patch, resolver);
}

const pod = {
  spec: {
    containers: [
      { name: 'a', image: 'a:1', args: ['x'] },
      { name: 'b', image: 'b:1' },
    ],
    tolerations: [{ key: 'k' }],
  },
};

describe('strategicMerge', () => {
  test.each<[string, unknown, unknown]>([
    [
      'merges items by key, in the order of the patch',
      { spec: { containers: [{ name: 'c' }, { name: 'a', image: 'a:2' }] } },
      { spec: { ...pod.spec, containers: [{ name: 'c' }, { name: 'a', image: 'a:2', args: ['x'] }, { name: 'b', image: 'b:1' }] } },
    ],
    [
      'deletes an item',
      { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
      { spec: { ...pod.spec, containers: [{ name: 'b', image: 'b:1' }] } },
    ],
    [
      'replaces a list',
      { spec: { containers: [{ name: 'z', image: 'z' }, { $patch: 'replace' }] } },
      { spec: { ...pod.spec, containers: [{ name: 'z', image: 'z' }] } },
    ],
    ['replaces atomic lists', { spec: { tolerations: [{ key: 'l' }] } }, { spec: { ...pod.spec, tolerations: [{ key: 'l' }] } }],
    ['deletes by null', { spec: { tolerations: null } }, { spec: { containers: pod.spec.containers } }],
    ['replaces an object', { spec: { $patch: 'replace', nodeName: 'n' } }, { spec: { nodeName: 'n' } }],
    ['empties an object', { spec: { $patch: 'delete' } }, { spec: {} }],
    [
      'puts items in order',
      { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'b' }, { name: 'a' }], containers: [{ name: 'c' }] } },
      { spec: { ...pod.spec, containers: [{ name: 'c' }, { name: 'b', image: 'b:1' }, { name: 'a', image: 'a:1', args: ['x'] }] } },
    ],
    [
      'puts items in order that it does not change',
      { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } },
      { spec: { ...pod.spec, containers: [pod.spec.containers[1], pod.spec.containers[0]] } },
    ],
  ])('%s', (_, patch, expected) => {
    const before = structuredClone(pod);
    expect(merged('core.v1.Pod', pod, patch)).toEqual(expected);
    expect(pod).toEqual(before);
  });

  test('keeps the position of items that only the server has', () => {
    const current = { spec: { containers: [{ name: 'sidecar' }, { name: 'a' }, { name: 'b' }] } };
    const patch = { spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] } };
    expect(merged('core.v1.Pod', current, patch)).toEqual({ spec: { containers: [{ name: 'sidecar' }, { name: 'b' }, { name: 'a' }] } });
  });

  test('merges and removes from lists of scalars', () => {
    const current = { metadata: { finalizers: ['a', 'b'] } };
    const patch = { metadata: { finalizers: ['c', 'a'], '$deleteFromPrimitiveList/finalizers': ['b'] } };
    expect(merged('core.v1.Pod', current, patch)).toEqual({ metadata: { finalizers: ['c', 'a'] } });
  });

  test('retains only the given keys when a strategy changes its type', () => {
    const current = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(merged('apps.v1.Deployment', current, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  test('replaces values with $patch: replace', () => {
    const current = { spec: { selector: { matchLabels: { a: 'b' } } } };
    const patch = { spec: { selector: { matchLabels: { c: 'd' } } } };
    expect(merged('policy.v1.PodDisruptionBudget', current, patch)).toEqual({ spec: { selector: { matchLabels: { c: 'd' } } } });
  });

  test('merges service ports by number', () => {
    const current = { spec: { ports: [{ port: 80, targetPort: 8080 }] } };
    expect(merged('core.v1.Service', current, { spec: { ports: [{ port: 80, name: 'http' }, { port: 443 }] } })).toEqual({
      spec: { ports: [{ port: 80, targetPort: 8080, name: 'http' }, { port: 443 }] },
    });
  });

  test.each([
    [{ spec: { containers: [{ image: 'x' }] } }, 500, 'map: map[image:x] does not contain declared merge key: name'],
    [{ spec: { $patch: 'explode' } }, 500, 'unknown patch type: explode in map: map[$patch:explode]'],
    [{ spec: { containers: ['x'] } }, 400, 'expected an object with the merge key name, found "x"'],
  ])('refuses %j', (patch, code, message) => {
    expect(() => merged('core.v1.Pod', pod, patch)).toThrow(expect.objectContaining({ code, message }));
  });

  test('stores no directive in new objects', () => {
    expect(merged('core.v1.Pod', {}, { spec: { $retainKeys: ['volumes'], volumes: [{ name: 'v', $retainKeys: ['name'] }] } })).toEqual({
      spec: { volumes: [{ name: 'v' }] },
    });
  });
});
