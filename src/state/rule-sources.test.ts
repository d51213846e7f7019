import { expect, test } from '@jest/globals';
import { ruleSources } from './rule-sources.ts';

const override = (field: string, value: unknown) => ({ field, value, by: null, at: null, expiresAt: null, reason: null });
const spec = {
  mode: 'Auto',
  goal: 'Balanced',
  cooldown: '60m',
  cpu: { max: '2' },
  minConfidence: 0.6,
  containers: [{ name: 'side*', cpu: { margin: 0.3 } }],
} as const;

test.each([
  ['a field that the policy gives', 'web', ['mode'], 'policy'],
  ['a default that the API server or a person wrote out', 'web', ['goal'], 'default'],
  ['a default in other units', 'web', ['cooldown'], 'default'],
  ['a field that it leaves out', 'web', ['history.window'], 'default'],
  ['a field inside of a resource', 'web', ['cpu.max'], 'policy'],
  ['a field without a single default', 'web', ['minConfidence'], 'policy'],
  ['the first of several that is given', 'web', ['cpu.goal', 'cpu.max'], 'policy'],
  ['a field of a container’s own entry', 'sidecar', ['cpu.margin'], 'policy'],
  ['the same of another container', 'web', ['cpu.margin'], 'default'],
])('%s', (_, container, fields, source) => {
  expect(ruleSources(spec, []).of(container, ...fields)).toBe(source);
});

test('an override that holds for a while is named as one, inside of the field that it replaces, too', () => {
  const sources = ruleSources(spec, [override('mode', 'Recommend'), override('containers', [{ name: 'side*', cpu: { margin: 0.3 } }])]);
  expect([sources.of('web', 'mode'), sources.of('sidecar', 'cpu.margin'), sources.of('web', 'cpu.max')]).toEqual([
    'override',
    'override',
    'policy',
  ]);
});
