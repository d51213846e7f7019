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
  ['a field of the policy', 'web', ['mode'], 'policy'],
  ['a default that is written in the spec', 'web', ['goal'], 'default'],
  ['a default in other units', 'web', ['cooldown'], 'default'],
  ['an absent field', 'web', ['history.window'], 'default'],
  ['a nested field of a resource', 'web', ['cpu.max'], 'policy'],
  ['a field without a single default', 'web', ['minConfidence'], 'policy'],
  ['the first present field of several', 'web', ['cpu.goal', 'cpu.max'], 'policy'],
  ['a field of a container entry', 'sidecar', ['cpu.margin'], 'policy'],
  ['the same field of another container', 'web', ['cpu.margin'], 'default'],
])('%s', (_, container, fields, source) => {
  expect(ruleSources(spec, []).of(container, ...fields)).toBe(source);
});

test('an override is the source of its field and of the fields inside it', () => {
  const sources = ruleSources(spec, [override('mode', 'Recommend'), override('containers', [{ name: 'side*', cpu: { margin: 0.3 } }])]);
  expect([sources.of('web', 'mode'), sources.of('sidecar', 'cpu.margin'), sources.of('web', 'cpu.max')]).toEqual([
    'override',
    'override',
    'policy',
  ]);
});
