import { describe, expect, test } from '@jest/globals';
import { readPostgresAddress } from './postgres-address.ts';

const SECRET = 'hunter2';
const read = (url: string, password = '') => readPostgresAddress({ url, password, caFile: '' });

describe('history.url of a PostgreSQL server', () => {
  test('is parsed, and displayed without its password', () => {
    expect(read(`postgres://keel:p%40ss@db.example/history?sslmode=verify-full`)).toEqual({
      host: 'db.example',
      port: 5432,
      database: 'history',
      user: 'keel',
      password: 'p@ss',
      ssl: {},
      shown: 'postgres://keel@db.example:5432/history',
    });
    expect(read('postgres://keel:old@[::1]:6000/history', SECRET)).toMatchObject({ host: '::1', password: SECRET, ssl: false });
  });

  test.each([
    ['postgres://db.example/history', {}],
    ['postgres://db.example/history?sslmode=require', { rejectUnauthorized: false }],
    ['postgres://localhost/history', false],
    ['postgres://127.0.0.1/history?sslmode=verify-full', {}],
  ] as const)('%s: certificates are verified except on loopback, unless sslmode is set', (url, ssl) => {
    expect(read(url).ssl).toEqual(ssl);
  });

  test.each([
    [`postgres://keel:${SECRET}%@db.example/history`, /"%" that is no escape.*EVENKEEL_HISTORY_PASSWORD/],
    [`postgres://keel:${SECRET}@db.example/`, /names no database/],
    [`postgres://keel:${SECRET}@/history`, /is not a URL|names no host/],
    [`postgres://keel:${SECRET}@db.example/history?sslmode=maybe`, /sslmode=maybe/],
    [`postgres://keel:${SECRET}@db.example/history?options=x`, /options: only sslmode and host/],
  ])('%s is rejected with the remedy, and never with the password', (url, why) => {
    let words = '';
    try {
      read(url);
    } catch (err) {
      words = String(err);
    }
    expect(words).toMatch(why);
    expect(words).not.toContain(SECRET);
  });
});
