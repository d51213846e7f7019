import { describe, expect, test } from '@jest/globals';
import type { NodeRecord } from '#kube/records/node';
import { aLargeNode } from '../../test/builders/rightsizing.ts';
import type { ClusterChange } from '../ports/cluster/cluster-reader.ts';
import { LargestNode } from './largest-node.ts';

/** Nodes that count how often all of them are read. */
class Nodes {
  readonly #byName = new Map<string, NodeRecord>();
  #listener: (change: ClusterChange) => void = () => undefined;
  scans = 0;

  set(name: string, cpuMillicores: number, memoryBytes: number): void {
    this.#byName.set(name, { ...aLargeNode(name), allocatable: { cpuMillicores, memoryBytes } });
    this.#listener({ kind: 'node', key: name });
  }

  delete(name: string): void {
    this.#byName.delete(name);
    this.#listener({ kind: 'node', key: name });
  }

  nodes(): IterableIterator<NodeRecord> {
    this.scans += 1;
    return this.#byName.values();
  }

  findNode(name: string): NodeRecord | undefined {
    return this.#byName.get(name);
  }

  subscribe(listener: (change: ClusterChange) => void): () => void {
    this.#listener = listener;
    return () => undefined;
  }
}

describe('the largest node', () => {
  test('has the maximum of each resource, and is null without nodes', () => {
    const nodes = new Nodes();
    const largest = new LargestNode(nodes);
    expect(largest.current()).toBeNull();
    nodes.set('many-cores', 8_000, 1_000);
    nodes.set('much-memory', 2_000, 9_000);
    expect(largest.current()).toEqual({ cpuMillicores: 8_000, memoryBytes: 9_000 });
  });

  test('follows nodes that come, grow, shrink and go', () => {
    const nodes = new Nodes();
    const largest = new LargestNode(nodes);
    const cpuAfter = (change: () => void): number | undefined => (change(), largest.current()?.cpuMillicores);
    expect(cpuAfter(() => nodes.set('a', 1_000, 1))).toBe(1_000);
    expect(cpuAfter(() => nodes.set('b', 2_000, 1))).toBe(2_000);
    expect(cpuAfter(() => nodes.set('a', 3_000, 1))).toBe(3_000);
    expect(cpuAfter(() => nodes.set('a', 1_000, 1))).toBe(2_000);
    expect(cpuAfter(() => nodes.delete('b'))).toBe(1_000);
    expect(cpuAfter(() => nodes.delete('a'))).toBeUndefined();
  });

  test('reads all nodes once while they only report their status, and where nodes are added', () => {
    const nodes = new Nodes();
    for (let at = 0; at < 100; at += 1) nodes.set(`n${at}`, 1_000, 1_000);
    const largest = new LargestNode(nodes);
    for (let at = 0; at < 200; at += 1) {
      nodes.set(`n${at}`, 1_000, 1_000);
      expect(largest.current()).toEqual({ cpuMillicores: 1_000, memoryBytes: 1_000 });
    }
    expect(nodes.scans).toBe(1);
  });
});
