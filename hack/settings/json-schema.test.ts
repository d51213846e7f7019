import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import type { SettingTable } from '../../src/runtime/options/setting.ts';
import { settingsJsonSchema } from './json-schema.ts';

const TABLE = {
  'ports.http': { type: 'address', default: ':8080', help: 'Address.' },
  'ports.own': { type: 'string', default: '', help: 'Given by the chart.' },
  'ports.password': { type: 'string', default: '', secret: true, help: 'A secret.' },
  accounts: {
    type: 'list',
    items: { type: 'object', fields: { name: { type: 'string', help: 'Name.' }, token: { type: 'string', secret: true, help: 'Token.' } } },
    default: [],
    help: 'Objects that hold a secret.',
  },
  routes: {
    type: 'list',
    items: {
      type: 'object',
      fields: {
        to: { type: 'string', pattern: { regex: '^[a-z]+$', form: 'a name' }, help: 'Where to.' },
        weights: { type: 'list', items: { type: 'integer', minimum: 1 }, default: [1], help: 'Weights.' },
      },
    },
    default: [],
    help: 'Objects without a secret.',
  },
} as const satisfies SettingTable;

const validate = new Ajv().compile(settingsJsonSchema(TABLE, new Set(['ports.own']), 'Settings.'));

test.each([[{}], [{ ports: { http: ':9090' } }], [{ routes: [{ to: 'here' }, { to: 'there', weights: [1, 2] }] }]])(
  'the schema accepts %j',
  (values) => {
    expect(validate(values)).toBe(true);
  },
);

test.each([
  ['an unknown group', { port: {} }],
  ['an omitted setting', { ports: { own: 'mine' } }],
  ['a secret', { ports: { password: 'hush' } }],
  ['objects that hold a secret', { accounts: [] }],
  ['a field that is missing', { routes: [{ weights: [] }] }],
  ['an unknown field', { routes: [{ to: 'here', weight: 1 }] }],
  ['an item out of its bounds', { routes: [{ to: 'here', weights: [0] }] }],
  ['a string that does not match', { routes: [{ to: '10' }] }],
])('the schema refuses %s', (_what, values) => {
  expect(validate(values)).toBe(false);
});
