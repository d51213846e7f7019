// Connects handlers to an API description: path, method and validation of an operation come only from there, so the served API matches its
// description. Its access is copied from the query or command, which declares it, and `Application` checks it again.

import express, { Router, type NextFunction, type Request, type Response } from 'express';
import { findMissingRole, requiredAccess } from '../core/access/requirement.ts';
import type { Scope } from '../core/access/scope.ts';
import { csvColumns, toCsv } from './csv.ts';
import type { Envelope } from './envelope.ts';
import { isTagMatch } from './etag.ts';
import { MAX_BODY_BYTES, type RequestBounds } from './guards/request-bounds.ts';
import type { ApiDocument } from './openapi/api-document.ts';
import { isMutation, type Operation } from './openapi/operation.ts';
import { pathParametersOf, queryParametersOf } from './openapi/parameters.ts';
import { requestValidator, schemaCompiler, type Checked, type RequestValidator, type SchemaCompiler } from './openapi/validator.ts';
import { Problem, invalidRequest, notReady } from './problem.ts';
import { readableFor } from './readable-json.ts';
import { requestFactsOf } from './request-context.ts';
import { SerializedPages } from './serialized-pages.ts';
import { refusalProblem } from './refusal-problem.ts';
import type { OperationTypes, Reply } from './reply.ts';

/** A validated request with the caller's scope. */
export interface ApiRequest<Types extends OperationTypes> {
  readonly operation: Operation;
  readonly path: Types['path'];
  readonly query: Types['query'];
  readonly body: Types['body'];
  readonly scope: Scope;
  readonly requestId: string;
  /** Client address, for the audit. */
  readonly address: string;
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
  readonly http: Request;
}

export interface ApiRouterOptions {
  readonly envelope: Envelope;
  /** While false, only operations with `beforeReady` are served. */
  isReady(): boolean;
  /** The caller's permissions. May set a cookie. @throws Problem where the credential is refused */
  scopeOf(request: Request, response: Response, operation: Operation): Scope | Promise<Scope>;
  /** Limits of concurrent requests and bodies. */
  readonly bounds: Pick<RequestBounds, 'admit' | 'admitBody'>;
  /** Called when a request's connection is closed or its answer sent. */
  observe(outcome: { readonly operation: string; readonly method: string; readonly status: number; readonly seconds: number }): void;
  /** Machine time, for request durations. */
  nowMs(): number;
}

type Handler<Types extends OperationTypes> = (request: ApiRequest<Types>, response: Response) => Reply<Types> | Promise<Reply<Types>>;
type RawHandler<Types extends OperationTypes> = (request: ApiRequest<Types>, response: Response) => void | Promise<void>;

/** Serves one API. `Api` maps operation ids to their types. */
export class ApiRouter<Api extends Readonly<Record<keyof Api, OperationTypes>>> {
  readonly router = Router({ caseSensitive: true, strict: true });
  readonly #api: ApiDocument;
  readonly #options: ApiRouterOptions;
  readonly #compile: SchemaCompiler;
  readonly #served = new Set<string>();
  readonly #pages = new SerializedPages();

  constructor(api: ApiDocument, options: ApiRouterOptions) {
    this.#api = api;
    this.#options = options;
    this.#compile = schemaCompiler(api.schemas);
  }

  /** Serves an operation whose answer is wrapped in the envelope. @throws Error for an id without a description */
  on<Id extends keyof Api & string>(id: Id, handle: Handler<Api[Id]>): void {
    this.raw(id, async (request, response) => {
      this.#send(request, response, await handle(request, response));
    });
  }

  /** Serves an operation that writes its response itself. @throws Error for an id without a description, or without an access */
  raw<Id extends keyof Api & string>(id: Id, handle: RawHandler<Api[Id]>): void {
    const operation = this.#api.operations.find((each) => each.id === id);
    if (operation === undefined) throw new Error(`no operation ${id} in the description`);
    requiredAccess(`operation ${id}`, { who: operation.access });
    const validator = requestValidator(operation, this.#api.schemas, this.#compile);
    this.#served.add(id);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const { bounds } = this.#options;
    const readBody = express.json({ limit: MAX_BODY_BYTES, strict: false, type: () => true });
    const steps = [
      this.#timed(operation),
      // Streams stay open for hours and have their own limit.
      ...(operation.answer.raw === 'text/event-stream' ? [] : [bounds.admit]),
      ...(isMutation(operation) ? [requireJson, bounds.admitBody, readBody] : []),
    ];
    this.router[operation.method](path, ...steps, async (http: Request, response: Response) => {
      if (operation.beforeReady !== true && !this.#options.isReady()) {
        const { statusPath } = this.#api;
        const hint = statusPath === null ? 'Try again shortly.' : `Try again shortly; ${statusPath} lists what is missing.`;
        throw notReady(`The caches have not synced yet. ${hint}`);
      }
      await handle(await this.#admit<Api[Id]>(operation, validator, http, response), response);
    });
  }

  /**
   * Call it after the last operation. A known path with another method answers 405. @throws Error where a described operation is not served
   */
  close(): void {
    const { operations } = this.#api;
    const missing = operations.filter((operation) => !this.#served.has(operation.id));
    if (missing.length > 0) throw new Error(`not served: ${missing.map((operation) => operation.id).join(', ')}`);
    for (const path of new Set(operations.map((operation) => operation.path))) {
      const methods = operations.filter((operation) => operation.path === path).map((operation) => operation.method.toUpperCase());
      const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
      this.router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (request) => {
        throw new Problem('method_not_allowed', `${request.method} is not served here. Use ${allow.join(' or ')}.`, {
          headers: { allow: allow.join(', ') },
        });
      });
    }
  }

  #timed(operation: Operation) {
    return (request: Request, response: Response, next: NextFunction): void => {
      const startedAt = this.#options.nowMs();
      requestFactsOf(request).operation = operation;
      response.once('close', () => {
        const seconds = (this.#options.nowMs() - startedAt) / 1000;
        this.#options.observe({ operation: operation.id, method: request.method, status: response.statusCode, seconds });
      });
      next();
    };
  }

  async #admit<Types extends OperationTypes>(
    operation: Operation,
    validator: RequestValidator,
    http: Request,
    response: Response,
  ): Promise<ApiRequest<Types>> {
    const scope = await this.#options.scopeOf(http, response, operation);
    requestFactsOf(http).scope = scope;
    // Refused before validation, so that a caller without the role learns nothing about the input. `Application` checks the role again,
    // with the namespaces.
    const refusal = findMissingRole(operation.access, scope);
    if (refusal !== null) throw refusalProblem(refusal, (pointer) => pointer);
    const path = validator.path(http.params);
    const query = validator.query(new URL(http.originalUrl, 'http://local').searchParams);
    const body = isMutation(operation) ? validator.body(http.body) : ({ ok: true, value: undefined } as const);
    const details = [path, query, body].flatMap((checked) => (checked.ok ? [] : checked.details));
    if (details.length > 0) throw invalidRequest(details);
    return {
      operation,
      path: value(path),
      query: value(query),
      body: value(body),
      scope,
      requestId: String(response.getHeader('X-Request-Id')),
      address: http.ip ?? http.socket.remoteAddress ?? '',
      ifMatch: http.get('if-match') ?? null,
      idempotencyKey: idempotencyKeyOf(http),
      http,
    };
  }

  #send<Types extends OperationTypes>(request: ApiRequest<Types>, response: Response, reply: Reply<Types>): void {
    const { operation } = request;
    const csv = operation.list !== undefined && (request.query as { format?: string }).format === 'csv';
    let data: string;
    if (operation.method === 'get') {
      const { originalUrl } = request.http;
      const variant = operation.answer.isSummaryInTag === true ? JSON.stringify(reply.summary) : '';
      const { json, tag } = this.#pages.of(originalUrl, reply.data, reply.total, request.scope.key + variant, csv ? 'csv' : 'json');
      data = json;
      response.setHeader('ETag', tag);
      const known = request.http.get('if-none-match');
      if (known !== undefined && isTagMatch(known, tag)) {
        response.status(304).end();
        return;
      }
    } else data = JSON.stringify(reply.data);
    if (csv) {
      if (reply.nextCursor !== null) response.setHeader('X-Next-Cursor', reply.nextCursor);
      response.setHeader('Content-Disposition', `attachment; filename="${operation.path.slice(1).replaceAll('/', '-')}.csv"`);
      response
        .type('text/csv; charset=utf-8')
        .send(toCsv(reply.data as readonly unknown[], csvColumns(operation.answer.data.items ?? {}, this.#api.schemas)));
      return;
    }
    response
      .status(operation.answer.status)
      .type('application/json')
      .send(readableFor(request.http.get('user-agent'), this.#options.envelope.success(data, reply, response, request.scope)));
  }
}

/** Location of an input field in the request: `/duration` is `query.duration`; a body field stays a JSON Pointer. */
export function locationOf(operation: Operation, pointer: string): string {
  const name = pointer.split('/')[1] ?? '';
  if (queryParametersOf(operation).some((parameter) => parameter.name === name)) return `query.${name}`;
  if (pathParametersOf(operation).some((parameter) => parameter.name === name)) return `path.${name}`;
  return pointer;
}

function value<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error('read before it was validated');
  return checked.value;
}

// A form post needs no CORS preflight, so a body that is not JSON is rejected before it is read.
function requireJson(request: Request, _response: Response, next: NextFunction): void {
  const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && request.is(['application/json', 'application/*+json']) === false) {
    throw new Problem('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
  }
  next();
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.get('idempotency-key');
  if (key === undefined || request.method !== 'POST') return null;
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw invalidRequest([{ path: 'header.idempotency-key', message: 'must be 1 to 200 printable characters without spaces' }]);
  }
  return key;
}
