// docs/rbac.md has a row for each installed ValidatingAdmissionPolicy, and no other row.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../chart/rules.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Names are read by a regular expression: only Helm can parse the chart's templates. */
function policiesIn(path: string): readonly string[] {
  const named = /^kind: ValidatingAdmissionPolicy\nmetadata:\n {2}name: (.+)$/gm;
  return [...read(path).matchAll(named)].map(([, name = '']) => name.replace('{{ include "evenkeel.fullname" . }}', 'evenkeel'));
}

const documented = [...read('docs/rbac.md').matchAll(/^\| `(evenkeel-[a-z]+)` +\|/gm)].map(([, name]) => name);

describe('docs/rbac.md', () => {
  test('has a row for each admission policy of the chart', () => {
    expect(documented).toEqual(policiesIn('charts/evenkeel/templates/admissionpolicies.yaml'));
  });

  test('has a row for each admission policy of config/', () => {
    const installed = policiesIn('config/rbac/admissionpolicies.yaml');
    expect(installed).not.toEqual([]);
    expect(installed.filter((name) => !documented.includes(name))).toEqual([]);
  });
});
