import { describe, expect, test } from '@jest/globals';
import { directImports, roomDiagram, roomsOf } from './room-diagram.ts';

const TABLE = new Map([
  ['apis', []],
  ['core', ['apis']],
  ['state', ['apis', 'core']],
  ['server', ['apis', 'state']],
]);

describe('The rooms', () => {
  test('are read from the rules of the import check', () => {
    const rules = [
      { name: 'room-apis', to: { pathNot: ['^src/(apis)/', '^packages/kube/'] } },
      { name: 'room-core', to: { pathNot: ['^src/(core|apis)/', '^packages/kube/'] } },
      { name: 'package-kube', to: { pathNot: '^packages/kube/' } },
      { name: 'package-embedded-cluster', to: { pathNot: '^packages/(embedded-cluster|kube)/' } },
      { name: 'no-cycles', to: {} },
    ];
    expect([...roomsOf(rules)]).toEqual([
      ['apis', ['kube']],
      ['core', ['apis', 'kube']],
      ['kube', []],
      ['embedded-cluster', ['kube']],
    ]);
  });

  test('of a rule in another form are an error, not an empty room', () => {
    expect(() => roomsOf([{ name: 'room-core', to: { pathNot: ['^src/core'] } }])).toThrow('room-core');
  });
});

describe('The diagram', () => {
  test('leaves out an import that a longer way leads to', () => {
    expect([...directImports(TABLE)]).toEqual([
      ['apis', []],
      ['core', ['apis']],
      ['state', ['core']],
      ['server', ['state']],
    ]);
  });

  test('has a node for each room and an arrow for each direct import', () => {
    expect(roomDiagram(new Map([...TABLE].slice(0, 2)), { apis: 'types', core: 'decisions' })).toBe(
      'flowchart TD\n  apis["<b>apis</b><br/>types"]\n  core["<b>core</b><br/>decisions"]\n  core --> apis',
    );
  });

  test('has no room without a role', () => {
    expect(() => roomDiagram(TABLE, { apis: 'types' })).toThrow('room core has no role');
  });
});
