import { once } from 'node:events';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ApiWorld } from '../../../testing/api-world.ts';
import { serveHttps, type RunningHttpServer } from './http-server.ts';
import { writeKubeconfig } from './kubeconfig.ts';

describe('HTTPS', () => {
  const world = new ApiWorld();
  let http: RunningHttpServer;

  beforeAll(async () => {
    http = await serveHttps(world.server, { port: 0 });
  });
  afterAll(() => http.close());

  function ask(
    method: string,
    path: string,
    options: {
      readonly token?: string;
      readonly body?: string;
      readonly contentType?: string;
      readonly onLine?: (line: string) => void;
    } = {},
  ): Promise<{ readonly status: number; readonly body: string }> {
    const { token = world.server.authenticator.adminToken, body, contentType = 'application/json', onLine } = options;
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': contentType };
      const request = httpsRequest(http.url + path, { method, headers, ca: http.caCertificate, agent: false }, (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          received += chunk;
          if (onLine !== undefined) for (const line of chunk.split('\n')) if (line !== '') onLine(line);
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: received }));
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  test('serves requests with a token, with a certificate of its own authority', async () => {
    expect(await ask('GET', '/readyz')).toEqual({ status: 200, body: 'ok' });
    expect((await ask('GET', '/readyz', { token: 'wrong' })).status).toBe(401);
  });

  test('reads JSON and YAML, and reports unreadable bodies', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    expect((await ask('POST', path, { body: '{"metadata":{"name":"json"}}' })).status).toBe(201);
    expect((await ask('POST', path, { body: 'metadata: {name: yaml}', contentType: 'application/yaml' })).status).toBe(201);
    expect((await ask('POST', path, { body: '{' })).status).toBe(400);
    expect((await ask('POST', path, { body: '<a/>', contentType: 'text/xml' })).status).toBe(415);
    expect((await ask('POST', path, { body: 'x'.repeat(4 * 1024 * 1024) })).status).toBe(413);
  });

  test.each([
    ['JSON', 'application/json', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested too deeply'],
    ['YAML', 'application/yaml', `a: ${'['.repeat(20_000)}`, 'nested too deeply'],
    ['a prototype', 'application/json', '{"metadata":{"name":"a"},"data":{"__proto__":"x"}}', '__proto__'],
    ['inherited names', 'application/json', '{"metadata":{"name":{"toString":1}}}', 'metadata.name'],
  ])('refuses hostile bodies with a message: %s', async (_what, contentType, body, words) => {
    const answer = await ask('POST', '/api/v1/namespaces/default/configmaps', { contentType, body });
    expect(answer).toEqual({ status: 400, body: expect.stringContaining(words) });
  });

  test('keeps names that every object inherits as plain keys', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const data = { constructor: 'a', toString: 'b', hasOwnProperty: 'c' };
    const body = JSON.stringify({ metadata: { name: 'inherited', labels: { valueOf: 'd' }, constructor: 'unknown' }, data });
    const made = await ask('POST', path, { body });
    expect(made.status).toBe(201);
    expect(JSON.parse(made.body)).toMatchObject({ metadata: { labels: { valueOf: 'd' } }, data });
    const more = JSON.stringify({ metadata: { annotations: { toString: 'e' } } });
    const patched = await ask('PATCH', `${path}/inherited`, { body: more, contentType: 'application/merge-patch+json' });
    expect(JSON.parse(patched.body)).toMatchObject({ metadata: { annotations: { toString: 'e' } }, data });
    expect(JSON.parse((await ask('GET', `${path}?labelSelector=toString`)).body)).toMatchObject({ items: [] });
  });

  test('streams watch events line by line as they happen', async () => {
    const path = '/api/v1/namespaces/default/secrets';
    const first = Promise.withResolvers<string>();
    const watch = ask('GET', `${path}?watch=true&timeoutSeconds=5`, { onLine: first.resolve });
    await ask('POST', path, { body: '{"metadata":{"name":"s"}}' });
    expect(JSON.parse(await first.promise)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 's' } } });
    await world.machine.advance(5000);
    expect((await watch).status).toBe(200);
  });

  test('closes while a connection is still in its TLS handshake', async () => {
    const closing = await serveHttps(world.server, { port: 0 });
    const socket = connect(closing.port, '127.0.0.1');
    const ended = once(socket, 'close');
    await once(socket, 'connect');
    await closing.close();
    await ended;
  });

  test('refuses to listen beyond loopback', async () => {
    await expect(serveHttps(world.server, { port: 0, host: '0.0.0.0' })).rejects.toThrow('0.0.0.0 is not a loopback address');
  });

  test('the kubeconfig holds what a client needs, readable by its owner only', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'evenkeel-')), 'deep', 'kubeconfig');
    await writeKubeconfig(path, { server: http.url, caCertificate: http.caCertificate, token: 'secret' });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const config = parse(await readFile(path, 'utf8'));
    expect(config.clusters[0].cluster.server).toBe(http.url);
    expect(Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64').toString()).toBe(http.caCertificate);
    expect(config.users[0].user.token).toBe('secret');
  });
});
