import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '../kube-object.ts';
import { ObjectStore } from './object-store.ts';

function object(namespace: string, name: string, value = 0): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, uid: '', resourceVersion: '', creationTimestamp: '' }, value };
}

describe('ObjectStore', () => {
  test('lists in key order, whatever the order of creation', () => {
    const table = new ObjectStore().table('configmaps');
    for (const [namespace, name] of [
      ['b', 'a'],
      ['a', 'z'],
      ['a', 'b'],
    ] as const)
      table.put(object(namespace, name));
    expect(table.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(['a/b', 'a/z', 'b/a']);
    expect(table.list('a').map(({ metadata }) => metadata.name)).toEqual(['b', 'z']);
  });

  test('versions increase over all resources, and a deletion has its own', () => {
    const store = new ObjectStore();
    const first = store.table('configmaps').put(object('a', 'x'));
    const second = store.table('secrets').put(object('a', 'x'));
    const gone = store.table('configmaps').remove('a', 'x');
    const versions = [first, second, gone].map((at) => Number(at?.metadata.resourceVersion));
    expect(versions).toEqual([2, 3, 4]);
    expect(store.revision).toBe(4);
  });

  test('finds pods by node, and follows them when the node changes', () => {
    const table = new ObjectStore().table('pods');
    table.put({ ...object('a', 'p'), spec: {} });
    table.put({ ...object('a', 'p'), spec: { nodeName: 'n1' } });
    expect(table.listByIndex('n1')).toHaveLength(1);
    table.remove('a', 'p');
    expect(table.listByIndex('n1')).toHaveLength(0);
  });

  test('refuses one pod too many, and takes the next when one is gone', () => {
    const table = new ObjectStore(2).table('pods');
    for (const name of ['p', 'q', 'q']) table.put(object('a', name));
    expect(() => table.put(object('a', 'r'))).toThrow('at most 2 pods');
    table.remove('a', 'p');
    expect(table.put(object('a', 'r')).metadata.name).toBe('r');
  });

  test('any state within the history can be listed', () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), namespace: fc.constantFrom('x', 'y'), removes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const store = new ObjectStore();
        const table = store.table('configmaps');
        const states = new Map<number, readonly KubeObject[]>();
        changes.forEach(({ name, namespace, removes }, index) => {
          if (removes) table.remove(namespace, name);
          else table.put(object(namespace, name, index));
          states.set(store.revision, table.list());
        });
        for (const [revision, state] of states) expect(table.listAt(revision)).toEqual(state);
      }),
      { numRuns: 50 },
    );
  });

  test('the history is bounded, and reports when it does not reach back', () => {
    const store = new ObjectStore();
    const table = store.table('configmaps');
    table.put(object('a', 'x'));
    const early = store.revision;
    for (let index = 0; index < 3000; index++) table.put(object('a', 'x', index));
    expect(table.changesSince(early)).toBeNull();
    expect(table.listAt(early)).toBeNull();
    expect(table.changesSince(store.revision - 1000)).toHaveLength(1000);
  });
});
