// The figures in the table of dashboard limits in docs/security.md equal those of the code.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MiB, SECOND_MS } from '#kube/units';
import { addressGroup } from '../../src/runtime/clients/address-group.ts';
import { MAX_PIPELINED } from '../../src/runtime/clients/bound-pipelining.ts';
import { CLIENT_RATIO } from '../../src/runtime/clients/fair-share.ts';
import { SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { BODY_MS, MAX_BODIES_BYTES, MAX_BODY_BYTES, MAX_REQUESTS } from '../../src/server/guards/request-bounds.ts';
import { MAX_HEADERS } from '../../src/server/guards/limit-headers.ts';
import { RETRY_AFTER_SECONDS } from '../../src/server/guards/share-problem.ts';
import { PROBLEM_STATUS } from '../../src/server/problem.ts';
import { HANDSHAKE_MS, HEADERS_MS, MAX_HEAD_BYTES, REQUEST_MS, SILENCE_MS } from '../../src/server/server.ts';
import { MAX_BACKLOG_BYTES, MAX_BACKLOGS_BYTES, MAX_STREAMS } from '../../src/server/stream/event-stream.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const [, section = ''] = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('### Bounds of the dashboard\n');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const text = (amount: number, unit = ''): string => `${amount.toLocaleString('en')}${unit}`;
const mebibytes = (bytes: number): string => text(bytes / MiB, ' MiB');
const seconds = (ms: number): string => text(ms / SECOND_MS, ' s');
const shares = (total: number, unit = ''): readonly string[] => [text(Math.floor(total * CLIENT_RATIO), unit), text(total, unit)];

const maxConnections = SETTINGS['dashboard.maxConnections'].default;
const [perSecond, burst] = [SETTINGS['rateLimit.perAddressPerSecond'].default, SETTINGS['rateLimit.burst'].default];
const [byCredential, credentialBurst] = [
  SETTINGS['rateLimit.perCredentialPerSecond'].default,
  SETTINGS['rateLimit.credentialBurst'].default,
];

describe('The bounds of the dashboard in docs/security.md', () => {
  test('are those of the code', () => {
    expect(rows.map(([bound, one, all]) => [bound, one, all])).toEqual([
      ['connections', ...shares(maxConnections)],
      ['requests of one connection before their answers', text(MAX_PIPELINED), ''],
      ['requests a second without a valid credential', `${text(perSecond)}, ${text(burst)} at once`, ''],
      ['requests a second with one credential, by any address', `${text(byCredential)}, ${text(credentialBurst)} at once`, ''],
      ['failed authentications in a minute', text(SETTINGS['rateLimit.failedAuthenticationsPerMinute'].default), ''],
      ['requests under way, streams aside', ...shares(MAX_REQUESTS)],
      ['bodies of requests under way', ...shares(MAX_BODIES_BYTES / MiB, ' MiB')],
      ['one body', mebibytes(MAX_BODY_BYTES), ''],
      ['time for a body', seconds(BODY_MS), ''],
      ['the head of one request', `${text(MAX_HEAD_BYTES / 1024, ' KiB')}, ${text(MAX_HEADERS, ' headers')}`, ''],
      ['time for the handshake of TLS', seconds(HANDSHAKE_MS), ''],
      ['time for the head of a request, and for a request that no route reads', `${seconds(HEADERS_MS)}, ${seconds(REQUEST_MS)}`, ''],
      ['a connection over which nothing goes', seconds(SILENCE_MS), ''],
      ['streams', ...shares(MAX_STREAMS)],
      ['what one stream, and all of them, have not read', mebibytes(MAX_BACKLOG_BYTES), mebibytes(MAX_BACKLOGS_BYTES)],
    ]);
  });

  test('name existing settings, and the files that read them', () => {
    expect(rows.flatMap((cells) => [...(cells[3] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))).toEqual([
      'dashboard.maxConnections',
      'rateLimit.perAddressPerSecond',
      'rateLimit.burst',
      'rateLimit.perCredentialPerSecond',
      'rateLimit.credentialBurst',
      'rateLimit.failedAuthenticationsPerMinute',
    ]);
    expect(rows.flatMap((cells) => (cells[5] ?? '').split(', ')).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('answer with codes of the error catalogue, each with its status', () => {
    const answers = rows.flatMap((cells) => [...(cells[4] ?? '').matchAll(/(\d{3}) `([a-z_]+)`/g)]);
    expect(answers.length).toBeGreaterThan(0);
    for (const [, status, code = ''] of answers)
      expect([code, Number(status)]).toEqual([code, new Map(Object.entries(PROBLEM_STATUS)).get(code)]);
    expect(section).toContain(`\`Retry-After: ${RETRY_AFTER_SECONDS}\``);
  });

  test('count an IPv6 address by its /64', () => {
    expect(section).toContain('the /64 of an IPv6 address');
    expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  });
});
