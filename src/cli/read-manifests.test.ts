import { describe, expect, test } from '@jest/globals';
import { objectsIn, readManifests } from './read-manifests.ts';

function read(text: string): { names: string[]; problems: string[] } {
  const problems: string[] = [];
  const objects = objectsIn('app.yaml', text, problems);
  return { names: objects.map(({ source, object }) => `${source} ${object.kind} ${object.metadata.name ?? ''}`), problems };
}

describe('objectsIn', () => {
  test('reads every document with its position, and skips empty ones', () => {
    const text =
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n---\n# nothing\n---\napiVersion: v1\nkind: Service\nmetadata: { name: b }\n';
    expect(read(text)).toEqual({ names: ['app.yaml:1 Namespace a', 'app.yaml:7 Service b'], problems: [] });
  });

  test('expands lists, including JSON', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }] };
    expect(read(JSON.stringify(list)).names).toEqual(['app.yaml:1 ConfigMap c']);
  });

  test('reports each object of a list with its own line', () => {
    const text = [
      '{ "apiVersion": "v1", "kind": "List", "items": [',
      '  { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } },',
      '  { "apiVersion": "v1", "kind": "List", "items": [',
      '    { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" } } ] },',
      '  { "kind": "ConfigMap" } ] }',
    ].join('\n');
    expect(read(text)).toEqual({
      names: ['app.yaml:2 ConfigMap a', 'app.yaml:4 ConfigMap b'],
      problems: ['app.yaml:5: an object needs apiVersion, kind and metadata.name'],
    });
  });

  test('reports file and line of invalid YAML or objects', () => {
    expect(read('a: [1\n').problems[0]).toMatch(/^app\.yaml:\d: /);
    expect(read('just: a map\n').problems).toEqual(['app.yaml:1: an object needs apiVersion, kind and metadata.name']);
    expect(read('apiVersion: v1\nkind: Pod\nmetadata: {}\n').problems).toHaveLength(1);
  });
});

describe('readManifests', () => {
  test('reports a missing path', async () => {
    await expect(readManifests('/no/such/path')).rejects.toThrow('/no/such/path: no such file or folder');
  });
});
