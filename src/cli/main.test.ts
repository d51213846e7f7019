import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const MAIN = join(import.meta.dirname, 'main.ts');
const FLAGS = ['--disable-warning=ExperimentalWarning', MAIN];

test('the demo, whose embedded cluster is not shipped, is refused with where it runs', async () => {
  const child = spawn(process.execPath, [...FLAGS, 'demo', '--nodes', '3'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(err).toBe('evenkeel demo: the embedded cluster is not part of this build; run `make demo` in a checkout of the sources\n');
  expect(code).toBe(2);
});

test.each(['constructor', '__proto__', 'toString'])('%s is no command', async (name) => {
  const child = spawn(process.execPath, [...FLAGS, name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([err, code]).toEqual([`evenkeel: unknown command "${name}"; \`evenkeel help\` lists them\n`, 2]);
});

test('the nearest command is named', async () => {
  const child = spawn(process.execPath, [...FLAGS, 'aprove', 'shop/web'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([err, code]).toEqual(['evenkeel: unknown command "aprove"; did you mean approve?\n', 2]);
});

test('a reader that closes the pipe (`evenkeel help | head -1`) gets no stack trace', async () => {
  const child = spawn(process.execPath, [...FLAGS, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect({ err, code }).toEqual({ err: '', code: 141 });
});
