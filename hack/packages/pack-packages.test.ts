// The packages as another project installs them: the examples of their READMEs print what they say.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packPackages } from './pack-packages.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NAMES = ['kube', 'embedded-cluster'];
const run = promisify(execFile);

interface PackageFile {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'evenkeel-project-'));
  const tarballs = await packPackages(join(project, 'packages'));
  for (const [index, name] of NAMES.entries()) await install(tarballs[index]!, name);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** As npm installs it. Packages of others come from this checkout, so that no registry is asked. */
async function install(tarball: string, name: string): Promise<void> {
  const folder = join(project, 'node_modules', '@evenkeel', name);
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageFile;
  for (const each of Object.keys(dependencies)) {
    const link = join(project, 'node_modules', each);
    if (each.startsWith('@evenkeel/') || existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', each), link);
  }
}

/** The first example of a README that says what it prints. */
function exampleOf(name: string): { readonly code: string; readonly output: string } {
  const readme = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
  const [, code = '', output = ''] = /```[jt]s\n([^]*?)```\s+It prints:\s+```text\n([^]*?)```/.exec(readme) ?? [];
  return { code, output };
}

/** The output of node:test without the durations of a run. */
function withoutDurations(output: string): string {
  return output.replaceAll(/[\d.]+(?=ms\))|(?<=duration_ms )[\d.]+/g, '…');
}

test.each(NAMES)('the example in the README of @evenkeel/%s prints what the README says', async (name) => {
  const { code, output } = exampleOf(name);
  expect(code).toContain(`from '@evenkeel/${name}`);
  const file = join(project, `${name}.mts`);
  writeFileSync(file, code);
  const { stdout, stderr } = await run(process.execPath, [file], { cwd: project });
  expect({ stdout: withoutDurations(stdout), stderr }).toEqual({ stdout: withoutDurations(output), stderr: '' });
});

test('the compiler accepts the examples by the declarations of the packages', async () => {
  const files = NAMES.map((name) => {
    const file = join(project, `${name}.mts`);
    writeFileSync(file, exampleOf(name).code);
    return file;
  });
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--skipLibCheck', 'false'];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
  await expect(run(join(ROOT, 'node_modules', '.bin', 'tsc'), [...options, ...types, ...files], { cwd: project })).resolves.toBeDefined();
});
