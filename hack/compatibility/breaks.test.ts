import { describe, expect, test } from '@jest/globals';
import type { Setting, SettingTable } from '../../src/runtime/options/setting.ts';
import { findBreaks, type Version } from './breaks.ts';
import type { Definition } from './definition-differences.ts';
import type { Schema } from './schema-differences.ts';

type Stored = Definition['spec']['versions'][number];

const SPEC: Schema = { type: 'object', properties: { spec: { type: 'object', properties: { mode: { type: 'string', default: 'Off' } } } } };
const V1: Stored = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: SPEC } };

function aDefinition(versions: readonly Stored[], more: Partial<Definition['spec']> = {}): Definition {
  return { metadata: { name: 'boats.example.io' }, spec: { scope: 'Cluster', names: { kind: 'Boat' }, versions, ...more } };
}

const withSpec = (mode: Schema): Definition =>
  aDefinition([{ ...V1, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { mode } } } } } }]);

const ofDefinition = (...definitions: readonly Definition[]): Version => ({ definitions, settings: {} });
const ofSettings = (settings: SettingTable): Version => ({ definitions: [], settings });

describe('custom resources of two versions', () => {
  const before = ofDefinition(aDefinition([V1]));

  test.each<[what: string, now: readonly Definition[], lines: readonly string[]]>([
    ['nothing changes', [aDefinition([V1])], []],
    ['a version is added that is not stored yet', [aDefinition([V1, { ...V1, name: 'v2', storage: false }])], []],
    ['a kind is added', [aDefinition([V1]), { ...aDefinition([V1]), metadata: { name: 'oars.example.io' } }], []],
    ['a kind goes', [], ['upgrade: Boat: boats.example.io is not defined']],
    ['a kind has another scope', [aDefinition([V1], { scope: 'Namespaced' })], ['upgrade: Boat: scope Namespaced instead of Cluster']],
    ['a kind is renamed', [aDefinition([V1], { names: { kind: 'Ship' } })], ['upgrade: Boat: kind Ship instead']],
    ['a version is not served', [aDefinition([{ ...V1, served: false }])], ['upgrade: Boat v1: is not served']],
    [
      'another version is stored',
      [
        aDefinition([
          { ...V1, storage: false },
          { ...V1, name: 'v2' },
        ]),
      ],
      ['upgrade: Boat v1: is not the stored version'],
    ],
    ['the status is lost', [aDefinition([{ ...V1, subresources: {} }])], ['upgrade: Boat v1: has no subresource status']],
    [
      'a value is refused that was allowed',
      [withSpec({ type: 'string', maxLength: 9, default: 'Off' })],
      ['upgrade: Boat v1 spec.mode: maxLength 9 instead of none'],
    ],
    [
      'an object without the field has another meaning',
      [withSpec({ type: 'string', default: 'Auto' })],
      ['upgrade: Boat v1 spec.mode: default "Auto" instead of "Off"'],
    ],
  ])('%s', (_what, now, lines) => {
    expect(findBreaks(before, ofDefinition(...now))).toEqual(lines);
  });

  test('a value that is unknown to the previous version is a break for a rollback, and an unknown field is not', () => {
    const enumOf = (...names: readonly string[]): Version => ofDefinition(withSpec({ type: 'string', enum: names }));
    expect(findBreaks(enumOf('Off'), enumOf('Off', 'Auto'))).toEqual(['rollback: Boat v1 spec.mode: value "Auto" is not in the enum']);
    const spec = { type: 'object', properties: { mode: { type: 'string', default: 'Off' }, pace: { type: 'string' } } };
    const wider = aDefinition([{ ...V1, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }]);
    expect(findBreaks(before, ofDefinition(wider))).toEqual([]);
  });

  test('a field that the previous version requires must be present after a rollback', () => {
    const requiring = (...required: readonly string[]): Version =>
      ofDefinition(aDefinition([{ ...V1, schema: { openAPIV3Schema: { ...SPEC, required } } }]));
    expect(findBreaks(requiring('spec'), requiring())).toEqual(['rollback: Boat v1: spec is required']);
  });
});

describe('settings of two versions', () => {
  const setting = (more: Partial<Setting> = {}): SettingTable => ({
    pace: { type: 'duration', default: '5s', help: '', ...more } as Setting,
  });
  const list = (field: object): SettingTable => ({
    pairs: { type: 'list', items: { type: 'object', fields: { a: { type: 'string', help: '', ...field } } }, default: [], help: '' },
  });

  test.each<[what: string, before: SettingTable, now: SettingTable, lines: readonly string[]]>([
    ['a setting is added', {}, setting(), []],
    ['its default changes', setting(), setting({ default: '9s' }), []],
    ['it takes effect', setting({ status: 'announced' }), setting(), []],
    ['it is removed', setting(), {}, ['upgrade: settings: pace is unknown']],
    ['it is refused', setting(), setting({ status: 'refused' }), ['upgrade: settings pace: enum ["5s"] instead of any value']],
    ['its type changes', setting(), setting({ type: 'integer', default: 5 }), ['upgrade: settings pace: type integer instead of duration']],
    [
      'it must be longer',
      setting({ shortest: '1s' }),
      setting({ shortest: '1m' }),
      ['upgrade: settings pace: shortestMs 60000 instead of 1000'],
    ],
    [
      'a secret must match',
      { key: { type: 'string', default: '', help: '', secret: true } },
      { key: { type: 'string', default: '', help: '', secret: true, pattern: { regex: '^[a-z]*$', form: 'letters' } } },
      ['upgrade: settings key: pattern "^[a-z]*$" instead of none'],
    ],
    ['a field is required', list({ default: '' }), list({}), ['upgrade: settings pairs[]: a is required']],
    ['a field is optional', list({}), list({ default: '' }), []],
  ])('%s', (_what, before, now, lines) => {
    expect(findBreaks(ofSettings(before), ofSettings(now))).toEqual(lines);
  });
});
