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

  test('reports the lines of a JSON list that is printed over many, whatever its texts have in them', () => {
    const item = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { text: '}{ [ "items": [' } });
    const list = { apiVersion: 'v1', metadata: { items: [{}] }, items: [item('a'), item('b')], kind: 'List' };
    const text = `\n${JSON.stringify(list, null, 2)}\n`;
    const lines = text.split('\n');
    expect(read(text).names).toEqual(
      ['a', 'b'].map((name) => `app.yaml:${lines.findIndex((line) => line.includes(`"name": "${name}"`)) - 3} ConfigMap ${name}`),
    );
  });

  test('refuses YAML for which the heap is too small, with the size that it needs; JSON needs less', () => {
    const problems: string[] = [];
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { text: ${'x'.repeat(999_000)} }\n`;
    expect(objectsIn('app.yaml', yaml, problems, 10_000_000)).toEqual([]);
    expect(problems).toEqual([
      'app.yaml: 1.0 MB of YAML need about 45 MB of heap, of which Node.js may use 10 MB; set NODE_OPTIONS=--max-old-space-size=100, or give JSON',
    ]);
    const json = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text: 'x'.repeat(999_000) } });
    expect(objectsIn('app.json', json, [], 10_000_000)).toHaveLength(1);
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
