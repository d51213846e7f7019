// The API server over HTTPS on loopback.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { HttpMethod } from '#kube/api-transport';
import type { Answer, PlainAnswer, StreamAnswer } from '../answer.ts';
import { json, refusal } from '../answer.ts';
import type { ApiCall } from '../requests/api-call.ts';
import { ApiStatusError, badRequest } from '../api-error.ts';
import type { EmbeddedApiServer } from '../embedded-api-server.ts';
import { ProtobufDecoder } from '../protobuf/protobuf.ts';
import { closeAtOnce } from './close-at-once.ts';
import { readBody } from './request-body.ts';
import { makeServingCertificate, type ServingCertificate } from './serving-certificate.ts';

export interface HttpServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Only loopback addresses are possible, because the token is the cluster's only protection. */
  readonly host?: string;
  /** Generated when left out. */
  readonly certificate?: ServingCertificate;
}

export interface RunningHttpServer {
  readonly port: number;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM of the certificate authority that signed the server's certificate. */
  readonly caCertificate: string;
  /** Ends open watches and stops listening. */
  close(): Promise<void>;
}

/** Longer than clients keep an idle connection, so that clients close it: closing it here would race with a request. */
const KEEP_ALIVE_MS = 120_000;
/** A reader this far behind is disconnected; it resumes or lists again. */
const UNREAD_MAX_BYTES = 64 * 1024 * 1024;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** Throws when the host is not loopback or the port is in use. */
export async function serveHttps(server: EmbeddedApiServer, options: HttpServerOptions): Promise<RunningHttpServer> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.test(host)) throw new Error(`serving the embedded cluster: ${host} is not a loopback address; use 127.0.0.1`);
  const { key, certificate, caCertificate } = options.certificate ?? (await makeServingCertificate(host));
  const openStreams = new Set<ServerResponse>();
  const protobuf = new ProtobufDecoder();
  const listener = createServer({ key, cert: certificate }, (request, response) => {
    void respond(server, request, response, openStreams, protobuf);
  });
  // Node's own limit would cut long watches.
  listener.requestTimeout = 0;
  listener.keepAliveTimeout = KEEP_ALIVE_MS;
  const close = closeAtOnce(listener);
  await listening(listener, host, options.port);
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    port,
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    caCertificate,
    async close() {
      for (const response of openStreams) response.end();
      await close();
    },
  };
}

function listening(listener: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      resolve();
    });
  });
}

async function respond(
  server: EmbeddedApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  openStreams: Set<ServerResponse>,
  protobuf: ProtobufDecoder,
): Promise<void> {
  let answer: Answer;
  try {
    answer = await answerTo(server, request, protobuf);
  } catch (error) {
    answer = refusal(error);
  }
  if (response.destroyed) return;
  if (answer.kind === 'body') send(response, answer);
  else stream(response, answer, openStreams);
}

async function answerTo(server: EmbeddedApiServer, request: IncomingMessage, protobuf: ProtobufDecoder): Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'https://localhost');
  if (url === null) throw badRequest(`the path ${JSON.stringify(request.url)} is not a URL`);
  const user = server.authenticate(request.headers.authorization, {
    user: oneHeader(request, 'impersonate-user'),
    groups: request.headersDistinct['impersonate-group'] ?? [],
  });
  if (user === undefined) return json(401, new ApiStatusError(401, 'Unauthorized', 'Unauthorized').toStatus());
  const method = request.method ?? 'GET';
  if (!METHODS.includes(method))
    throw new ApiStatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  const { accept, 'content-type': contentType, 'user-agent': userAgent } = request.headers;
  const body = await readBody(request, contentType ?? 'application/json', protobuf);
  const call: ApiCall = {
    method: method as HttpMethod,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(accept === undefined ? {} : { accept }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(userAgent === undefined ? {} : { userAgent }),
    body: body.value,
    duplicateFields: body.duplicateFields,
    user,
  };
  return server.handle(call);
}

function oneHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function send(response: ServerResponse, answer: PlainAnswer): void {
  const payload = payloadOf(answer);
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(payload),
    'cache-control': 'no-cache, private',
  });
  response.end(payload);
}

function payloadOf({ body, contentType }: PlainAnswer): string | Buffer {
  if (Buffer.isBuffer(body)) return body;
  return typeof body === 'string' && !contentType.startsWith('application/json') ? body : JSON.stringify(body);
}

/** JSON items one per line, text items unchanged, each in a separate chunk so that it is delivered immediately. */
function stream(response: ServerResponse, answer: StreamAnswer, openStreams: Set<ServerResponse>): void {
  response.writeHead(answer.status, { ...answer.headers, 'content-type': answer.contentType, 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  openStreams.add(response);
  let close: (() => void) | null = null;
  response.on('close', () => {
    openStreams.delete(response);
    close?.();
    close = null;
  });
  close = answer.open({
    push: (item) => {
      if (response.writableLength > UNREAD_MAX_BYTES) response.destroy();
      else response.write(`${typeof item === 'string' ? item : JSON.stringify(item)}\n`);
    },
    end: () => response.end(),
  });
}
