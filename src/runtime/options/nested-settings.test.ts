import { describe, expect, test } from '@jest/globals';
import { loadSettings, shownSettings, type SettingSources } from './load-settings.ts';
import type { SettingsSchema, SettingTable } from './setting.ts';

const TABLE = {
  name: { type: 'string', default: '', help: 'A plain setting.' },
  'meta.instances': {
    type: 'list',
    items: {
      type: 'object',
      fields: {
        id: { type: 'string', pattern: { regex: '^[a-z]+$', form: 'lower-case letters' }, help: 'Its name.' },
        url: { type: 'string', default: '', help: 'Its address.' },
        token: { type: 'string', secret: true, help: 'Its token.' },
        timeout: { type: 'duration', default: '10s', shortest: '1s', help: 'Its timeout.' },
        ports: { type: 'list', items: { type: 'integer', minimum: 1 }, default: [80], help: 'Its ports.' },
      },
    },
    default: [],
    help: 'A list of objects with a secret.',
  },
  'meta.limit': {
    type: 'object',
    fields: { perSecond: { type: 'integer', help: 'Requests a second.' }, burst: { type: 'integer', default: 60, help: 'At once.' } },
    default: { perSecond: 20 },
    help: 'An object.',
  },
  headers: { type: 'list', items: { type: 'string' }, default: [], secret: true, help: 'A secret list.' },
} as const satisfies SettingTable;

const SCHEMA: SettingsSchema<typeof TABLE> = {
  settings: TABLE,
  check(settings, report) {
    const ids = settings['meta.instances'].map(({ id }) => id);
    if (new Set(ids).size < ids.length) report('meta.instances', 'must have an id of its own for each');
  },
};

function load({ yaml, ...rest }: Partial<SettingSources> & { readonly yaml?: string }) {
  return loadSettings(SCHEMA, {
    environment: {},
    flags: [],
    ...(yaml !== undefined && { file: { name: 'settings.yaml', text: yaml } }),
    ...rest,
  });
}

function settingsOf(loaded: ReturnType<typeof load>) {
  if (!loaded.ok) throw new Error(loaded.message);
  return loaded.settings;
}

describe('settings that are objects and lists', () => {
  test('are read from a file, with the defaults of fields that are left out', () => {
    const yaml = 'meta:\n  instances:\n    - { id: eu, token: t1, timeout: 1m }\n    - { id: us, token: t2, ports: [8080, 8443] }\n';
    const settings = settingsOf(load({ yaml }));
    expect(settings['meta.instances']).toEqual([
      { id: 'eu', url: '', token: 't1', timeout: 60_000, ports: [80] },
      { id: 'us', url: '', token: 't2', timeout: 10_000, ports: [8080, 8443] },
    ]);
    expect(settings['meta.limit']).toEqual({ perSecond: 20, burst: 60 });
  });

  test('are JSON in the environment and in flags, and replace the whole earlier value', () => {
    const loaded = load({
      yaml: 'meta: { instances: [{ id: eu, token: t1 }], limit: { perSecond: 1, burst: 2 } }',
      environment: { EVENKEEL_META_INSTANCES: '[{"id":"us","token":"t2"}]' },
      flags: [{ name: 'meta.limit', value: '{"perSecond":5}' }],
    });
    expect(settingsOf(loaded)).toMatchObject({ 'meta.instances': [{ id: 'us', token: 't2' }], 'meta.limit': { perSecond: 5, burst: 60 } });
    expect(loaded.ok && Object.fromEntries(loaded.sources)).toEqual({
      name: 'default',
      'meta.instances': 'environment EVENKEEL_META_INSTANCES',
      'meta.limit': 'flag --meta.limit',
      headers: 'default',
    });
  });

  test('report all problems inside them at once, each with its path, line, value and what is allowed', () => {
    const yaml = [
      'nam: typo',
      'meta:',
      '  instances:',
      '    - id: EU',
      '      token: t1',
      '      timeout: 10ms',
      '      ports: [80, 0, many]',
      '    - { id: us, colour: blue }',
      '    - us',
      '  limit: 20',
      'headers: { Authorization: hush }',
    ].join('\n');
    const loaded = load({ yaml, environment: { EVENKEEL_META_LIMIT: '{"perSecond"' } });
    expect(loaded.ok ? [] : loaded.message.split('\n')).toEqual([
      '11 settings are wrong:',
      '  nam (file settings.yaml:1): there is no such setting; did you mean name?',
      '  meta.instances[0].id (file settings.yaml:4): "EU": must be lower-case letters',
      '  meta.instances[0].timeout (file settings.yaml:6): "10ms": must be at least 1s',
      '  meta.instances[0].ports[1] (file settings.yaml:7): 0: must be a whole number of at least 1',
      '  meta.instances[0].ports[2] (file settings.yaml:7): "many": must be a whole number of at least 1',
      '  meta.instances[1].colour (file settings.yaml:8): unknown field; known are id, url, token, timeout, ports',
      '  meta.instances[1].token (file settings.yaml:8): is required: Its token.',
      '  meta.instances[2] (file settings.yaml:9): "***": must be an object with id, url, token, timeout, ports',
      '  meta.limit (file settings.yaml:10): 20: must be an object with perSecond, burst',
      '  headers (file settings.yaml:11): "***": must be a list of texts',
      '  meta.limit (environment EVENKEEL_META_LIMIT): "{\\"perSecond\\"": must be an object with perSecond, burst, written as JSON',
    ]);
  });

  test('an unknown field is a warning with --config-compat, and the rest of the object applies', () => {
    const loaded = load({ yaml: 'meta: { instances: [{ id: eu, token: t1, colour: blue }] }', compat: true });
    expect(settingsOf(loaded)['meta.instances']).toMatchObject([{ id: 'eu' }]);
    expect(settingsOf(loaded)['meta.instances'][0]).not.toHaveProperty('colour');
    expect(loaded.ok && loaded.warnings).toEqual([
      'meta.instances[0].colour (file settings.yaml:1) is not a setting of this version and is ignored',
    ]);
  });

  test('a conflict between items is reported with the setting', () => {
    const loaded = load({ yaml: 'meta: { instances: [{ id: eu, token: hush }, { id: eu, token: hush }] }' });
    expect(loaded.ok ? '' : loaded.message).toContain('meta.instances (file settings.yaml:1)');
    expect(loaded.ok ? '' : loaded.message).not.toContain('hush');
  });

  test('inherited property names are no fields', () => {
    const loaded = load({ yaml: 'meta: { limit: { perSecond: 1, toString: 1, __proto__: { burst: 1 } } }' });
    expect(loaded.ok ? [] : loaded.problems.map(({ path }) => path)).toEqual(['meta.limit.toString', 'meta.limit.__proto__']);
  });
});

describe('secrets inside objects and lists', () => {
  test('are masked where settings are logged; values beside them are not', () => {
    const yaml = 'meta: { instances: [{ id: eu, token: hush, url: "https://me:hush@meta" }] }\nheaders: ["Cookie: hush", "X: hush"]\n';
    expect(shownSettings(SCHEMA, settingsOf(load({ yaml })))).toEqual({
      name: '',
      'meta.instances': [{ id: 'eu', token: '***', url: 'https://me:***@meta', timeout: 10_000, ports: [80] }],
      'meta.limit': { perSecond: 20, burst: 60 },
      headers: ['***', '***'],
    });
  });

  test.each([
    ['a secret of the wrong type', { yaml: 'meta: { instances: [{ id: eu, token: { hush: hush } }] }' }],
    ['an object in place of the list', { yaml: 'meta: { instances: { id: eu, token: hush } }' }],
    ['a secret in place of the object', { yaml: 'meta: { instances: [hush] }' }],
    ['a misspelt field', { yaml: 'meta: { instances: [{ id: eu, tokn: hush }] }' }],
    ['a misspelt group', { yaml: 'mta: { instances: [{ id: eu, token: hush }] }' }],
    ['invalid JSON', { environment: { EVENKEEL_META_INSTANCES: '[{"token":"hush"' } }],
    ['JSON of another shape', { environment: { EVENKEEL_META_INSTANCES: '{"token":"hush"}' } }],
    ['invalid YAML', { yaml: 'meta: { instances: [{ id: eu, token: "hush }] }' }],
    ['invalid YAML at a secret', { yaml: 'headers:\n- a\n@hush\n' }],
    ['a YAML alias without an anchor', { yaml: 'headers: *hush' }],
  ])('are not repeated in a problem: %s', (_what, sources) => {
    const loaded = load(sources);
    expect(loaded.ok).toBe(false);
    expect(JSON.stringify(loaded)).not.toContain('hush');
  });
});
