import { describe, expect, test } from '@jest/globals';
import { credentialsHealth, plaintextCredentials } from './plaintext-credentials.ts';

const SETTINGS = {
  'prometheus.url': '',
  'prometheus.tokenFile': '',
  'prometheus.headers': [],
  'history.url': 'sqlite::memory:',
  'history.password': '',
};
const FAR = 'http://prometheus.monitoring:9090';
const SECRET = 'hunter2';

describe('a credential that is sent without encryption', () => {
  test.each([
    ['prometheus.tokenFile', { 'prometheus.url': FAR, 'prometheus.tokenFile': '/token' }],
    ['prometheus.headers', { 'prometheus.url': FAR, 'prometheus.headers': ['X-Tenant: a', `Authorization: Bearer ${SECRET}`] }],
    ['prometheus.headers', { 'prometheus.url': FAR, 'prometheus.headers': [`X-Api-Key: ${SECRET}`] }],
    ['its user and password', { 'prometheus.url': `http://keel:${SECRET}@prometheus.monitoring:9090` }],
    ['prometheus.tokenFile', { 'prometheus.url': 'http://127.example:9090', 'prometheus.tokenFile': '/token' }],
    ['sslmode=verify-full', { 'history.url': `postgres://keel:${SECRET}@db.example/history?sslmode=disable` }],
    ['history.url', { 'history.url': 'postgres://keel@db.example/history?sslmode=disable', 'history.password': SECRET }],
  ])('is reported with its setting and the remedy, and without the credential: %s', (setting, given) => {
    const warnings = plaintextCredentials({ ...SETTINGS, ...given }, undefined);
    expect(warnings).toEqual([expect.stringMatching(/is sent without encryption: write (https:\/\/|sslmode=verify-full)/)]);
    expect(warnings[0]).toContain(setting);
    expect(warnings[0]).not.toContain(SECRET);
    expect(credentialsHealth(warnings, 7)[0]?.status()).toEqual({ status: 'degraded', message: warnings[0], since: 7, latencyMs: null });
  });

  test('is reported for the API server', () => {
    const warnings = plaintextCredentials(SETTINGS, { url: 'http://api.example:8080', sendsCredentials: true });
    expect(warnings).toEqual([
      expect.stringMatching(/http:\/\/api\.example:8080.*write https:\/\/ as its server in kubernetes\.kubeconfig/),
    ]);
  });

  test.each([
    ['https', { 'prometheus.url': 'https://prometheus.monitoring', 'prometheus.tokenFile': '/token' }],
    ['loopback', { 'prometheus.url': 'http://127.0.0.1:9090', 'prometheus.tokenFile': '/token' }],
    ['IPv6 loopback', { 'prometheus.url': 'http://[::1]:9090', 'prometheus.tokenFile': '/token' }],
    ['no credential', { 'prometheus.url': FAR, 'prometheus.headers': ['X-Scope-OrgID: a'] }],
    ['no URL', { 'prometheus.url': 'prometheus', 'prometheus.tokenFile': '/token' }],
    ['TLS to the store', { 'history.url': `postgres://keel:${SECRET}@db.example/history` }],
    ['a store on loopback', { 'history.url': `postgres://keel:${SECRET}@localhost/history` }],
    ['a store without a password', { 'history.url': 'postgres://keel@db.example/history?sslmode=disable' }],
  ])('is not reported: %s', (_, given) => {
    const warnings = plaintextCredentials({ ...SETTINGS, ...given }, { url: 'http://127.0.0.1:8001', sendsCredentials: true });
    expect(warnings).toEqual([]);
    expect(credentialsHealth(warnings, 7)).toEqual([]);
  });

  test('is not reported where the API server gets none', () => {
    expect(plaintextCredentials(SETTINGS, { url: 'http://api.example:8080', sendsCredentials: false })).toEqual([]);
  });
});
