// The alerts of config/prometheus in promtool, which evaluates them as Prometheus does.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { manifestsOf, ROOT } from '../chart/rules.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const ifInstalled = hasPromtool ? test : test.skip;
const SKIPPED = hasPromtool ? '' : ' (skipped: promtool is not installed; Debian has it in the package prometheus)';

describe('The rules of config/prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-rules-'));
  const [rule] = manifestsOf('config/prometheus/rules.yaml');
  writeFileSync(join(folder, 'rules.yaml'), stringify(rule?.['spec']));
  copyFileSync(join(ROOT, 'test', 'fixtures', 'prometheus', 'rules-test.yaml'), join(folder, 'rules-test.yaml'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const promtool = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
    return status === 0 ? 'success' : stdout + stderr;
  };

  ifInstalled(`are valid${SKIPPED}`, () => {
    expect(promtool('check', 'rules', 'rules.yaml')).toBe('success');
  });

  ifInstalled(`fire on what they name, and not on a healthy controller${SKIPPED}`, () => {
    expect(promtool('test', 'rules', 'rules-test.yaml')).toBe('success');
  });
});
