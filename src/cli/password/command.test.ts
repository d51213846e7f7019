import { beforeEach, describe, expect, test } from '@jest/globals';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { isPassword } from '../../runtime/passwords/password-hash.ts';
import type { Terminal } from '../command.ts';
import type { ClusterConnection } from '../connect.ts';
import { createPasswordCommand } from './command.ts';
import type { PasswordInput } from './read-password.ts';

const SECRET = '/api/v1/namespaces/evenkeel-system/secrets/evenkeel-local-admin';

let world: ApiWorld;
let shown: string[];
beforeEach(async () => {
  world = new ApiWorld();
  shown = [];
  await world.post('/api/v1/namespaces', { metadata: { name: 'evenkeel-system' } });
});

function inputOf(chunks: readonly string[], isTTY: boolean): PasswordInput {
  const setRawMode = (isRaw: boolean) => shown.push(isRaw ? '<raw>' : '<cooked>') as never;
  return {
    isTTY,
    setRawMode,
    async *[Symbol.asyncIterator]() {
      for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
    },
  };
}

async function run(args: readonly string[], chunks: readonly string[], isTTY = false): Promise<number> {
  const connection = { transport: world.transport, close: () => undefined } as unknown as ClusterConnection;
  const terminal: Terminal = {
    out: (line) => void shown.push(line),
    err: (line) => void shown.push(line),
    environment: {},
    interrupted: new AbortController().signal,
  };
  const command = createPasswordCommand(
    inputOf(chunks, isTTY),
    (line) => void shown.push(line),
    () => Promise.resolve(connection),
  );
  return command.run(args, terminal);
}

async function stored(): Promise<Readonly<Record<string, string>>> {
  const { data } = (await world.get(SECRET)).body as { data?: Record<string, string> };
  return Object.fromEntries(Object.entries(data ?? {}).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]));
}

describe('evenkeel password', () => {
  test('stores the hash of the password from standard input, and replaces an earlier one', async () => {
    expect(await run(['Root@example.com'], ['correct horse', ' battery\n'])).toBe(0);
    const first = await stored();
    expect([first['email'], await isPassword('correct horse battery', first['password-hash']!)]).toEqual(['root@example.com', true]);
    expect(await run(['ann@example.com'], ['another passphrase'])).toBe(0);
    const second = await stored();
    expect([second['email'], await isPassword('another passphrase', second['password-hash']!)]).toEqual(['ann@example.com', true]);
    expect(shown.join('\n')).not.toMatch(/battery|passphrase/);
  });

  test('reads it at a terminal twice, without showing it', async () => {
    expect(await run(['root@example.com'], ['correct horse batteryx\u007f\rcorrect horse', ' battery\r'], true)).toBe(0);
    expect(await isPassword('correct horse battery', (await stored())['password-hash']!)).toBe(true);
    expect(shown.slice(0, 5)).toEqual(['<raw>', 'Password: ', '\nThe same again: ', '\n', '<cooked>']);
    expect(shown.join('\n')).not.toContain('battery');
  });

  test.each<[string, readonly string[], readonly string[], boolean, number]>([
    ['two that differ', ['root@example.com'], ['correct horse battery\rcorrect horse batterY\r'], true, 1],
    ['an interrupt', ['root@example.com'], ['correct horse battery\u0003'], true, 1],
    ['a short one', ['root@example.com'], ['short'], false, 1],
    ['several lines', ['root@example.com'], ['correct horse battery\ncorrect horse battery\n'], false, 1],
    ['a control character', ['root@example.com'], ['correct horse battery\u0004\rcorrect horse battery\u0004\r'], true, 1],
    ['no address', [], ['correct horse battery'], false, 2],
    ['two addresses', ['root@example.com', 'ann@example.com'], ['correct horse battery'], false, 2],
    ['no e-mail address', ['root'], ['correct horse battery'], false, 2],
    ['a namespace that is none', ['root@example.com', '-n', 'a/b'], ['correct horse battery'], false, 2],
  ])('changes nothing for %s', async (_what, args, chunks, isTTY, code) => {
    expect(await run(args, chunks, isTTY)).toBe(code);
    expect((await world.get(SECRET)).status).toBe(404);
  });
});
