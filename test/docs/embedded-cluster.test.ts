import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DEMO_OPTIONS } from '../../src/demo/options.ts';
import { BUILT_IN_RESOURCES } from '#embedded-cluster/api/resources/descriptors';
import { groupVersion } from '#embedded-cluster/api/resources/served-resources';
import { MACHINE_TYPES } from '#embedded-cluster/nodes/machine-types';
import { USAGE_PROFILE_KINDS } from '#embedded-cluster/usage/usage-profile';

const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'embedded-cluster.md'), 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| '));

describe('docs/embedded-cluster.md', () => {
  test.each(BUILT_IN_RESOURCES.map((descriptor) => [groupVersion(descriptor.group, descriptor.version), descriptor] as const))(
    '%s: names the resource with its subresources',
    (group, { plural, subresources }) => {
      const row = rows.find((line) => line.split('|')[1]?.includes(`\`${group}\``)) ?? '';
      const named = subresources.length === 0 ? plural : `${plural} (${subresources.join(', ')})`;
      expect(row).toMatch(new RegExp(`[ ,]${named.replaceAll(/[()]/g, '\\$&')}[ ,]`));
    },
  );

  test('names every option, profile and default machine type, and no other', () => {
    const options = [...text.matchAll(/`--([a-z-]+)/g)].map(([, name = '']) => name);
    // Options of kubectl that the document names.
    const foreign = ['attach', 'help', 'output', 'previous', 'server-print', 'timeout'];
    expect([...new Set(options)].filter((name) => !foreign.includes(name)).sort()).toEqual(Object.keys(DEMO_OPTIONS).sort());
    const profiles = rows.map((row) => /^\| `([a-z-]+)` +\|/.exec(row)?.[1] ?? '');
    for (const kind of USAGE_PROFILE_KINDS) expect(profiles).toContain(kind);
    for (const [, type = ''] of text.matchAll(/`([a-z0-9]+-standard-\d+)`/g)) expect(MACHINE_TYPES.map(({ name }) => name)).toContain(type);
  });
});
