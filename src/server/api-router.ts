// Joins handlers to the description: an operation's path, method, access and validation come from there and from nowhere
// else, so that what is described is what is served.

import express, { Router, type NextFunction, type Request, type Response } from 'express';
import type { Operations } from '../apis/http/types.generated.ts';
import { deniedNamespace, type Scope } from '../core/access/scope.ts';
import { csvColumns, toCsv } from './csv.ts';
import { envelopeMeta, type EnvelopeSources } from './envelope.ts';
import { entityTagOf, tagMatches } from './etag.ts';
import { MAX_BODY_BYTES, type RequestBounds } from './guards/request-bounds.ts';
import { OPERATIONS } from './openapi/document.ts';
import { isMutation, type OperationSpec } from './openapi/operation.ts';
import { requestValidator, schemaCompiler, type Checked, type RequestValidator } from './openapi/validator.ts';
import { Problem, invalidRequest, notReady } from './problem.ts';
import type { OperationId, Reply } from './reply.ts';

/** A request as a handler sees it: checked against the description, with the caller's scope. */
export interface ApiRequest<Id extends OperationId> {
  readonly path: Operations[Id]['path'];
  readonly query: Operations[Id]['query'];
  readonly body: Operations[Id]['body'];
  readonly scope: Scope;
  readonly requestId: string;
  /** Client address, for the audit. */
  readonly address: string;
  readonly ifMatch: string | null;
  readonly idempotencyKey: string | null;
  readonly http: Request;
}

export interface ApiRouterOptions extends EnvelopeSources {
  /** Before this nothing is answered but what `beforeReady` marks. */
  ready(): boolean;
  scopeOf(request: Request): Scope;
  /** Of what requests under way hold. */
  readonly bounds: Pick<RequestBounds, 'admit' | 'admitBody'>;
  /** Resolves once reads are answered from what mutations have just written. */
  caughtUp(): Promise<void>;
  /** Called once a request is answered. */
  observe(outcome: { readonly operation: string; readonly method: string; readonly status: number; readonly seconds: number }): void;
  /** Machine time, for how long a request took. */
  nowMs(): number;
}

type Handler<Id extends OperationId> = (request: ApiRequest<Id>) => Reply<Id> | Promise<Reply<Id>>;
type RawHandler<Id extends OperationId> = (request: ApiRequest<Id>, response: Response) => void | Promise<void>;

export class ApiRouter {
  readonly router = Router({ caseSensitive: true, strict: true });
  readonly #options: ApiRouterOptions;
  readonly #compile = schemaCompiler();
  readonly #served = new Set<string>();

  constructor(options: ApiRouterOptions) {
    this.#options = options;
  }

  /** Serves an operation that answers in the envelope. */
  on<Id extends OperationId>(id: Id, handle: Handler<Id>): void {
    this.raw(id, async (request, response) => {
      const reply = await handle(request);
      if (isMutation(specOf(id))) await this.#options.caughtUp();
      this.#send(specOf(id), request, response, reply);
    });
  }

  /** Serves an operation that writes its answer itself. */
  raw<Id extends OperationId>(id: Id, handle: RawHandler<Id>): void {
    const operation = specOf(id);
    const validator = requestValidator(operation, this.#compile);
    this.#served.add(id);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const { bounds } = this.#options;
    const readBody = express.json({ limit: MAX_BODY_BYTES, strict: false, type: () => true });
    const steps = [
      this.#timed(operation),
      // Streams stay for hours, and have a bound of their own.
      ...(operation.id === 'stream' ? [] : [bounds.admit]),
      ...(isMutation(operation) ? [requireJson, bounds.admitBody, readBody] : []),
    ];
    this.router[operation.method](path, ...steps, async (http: Request, response: Response) => {
      if (operation.beforeReady !== true && !this.#options.ready()) {
        throw notReady(
          'The caches have not synced yet, so there is nothing to answer from. Try again shortly; /api/v1/health says what is missing.',
        );
      }
      await handle(this.#admit<Id>(operation, validator, http, response), response);
    });
  }

  /** Called after the last operation: what is described and not served is a fault; a known path with another method is a 405. */
  close(): void {
    const missing = OPERATIONS.filter((operation) => !this.#served.has(operation.id));
    if (missing.length > 0) throw new Error(`not served: ${missing.map((operation) => operation.id).join(', ')}`);
    for (const path of new Set(OPERATIONS.map((operation) => operation.path))) {
      const methods = OPERATIONS.filter((operation) => operation.path === path).map((operation) => operation.method.toUpperCase());
      const allow = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
      this.router.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), (request) => {
        throw new Problem('method_not_allowed', `${request.method} is not served here. Use ${allow.join(' or ')}.`, {
          headers: { allow: allow.join(', ') },
        });
      });
    }
  }

  #timed(operation: OperationSpec) {
    return (request: Request, response: Response, next: NextFunction): void => {
      const startedAt = this.#options.nowMs();
      response.once('close', () => {
        const seconds = (this.#options.nowMs() - startedAt) / 1000;
        this.#options.observe({ operation: operation.id, method: request.method, status: response.statusCode, seconds });
      });
      next();
    };
  }

  #admit<Id extends OperationId>(operation: OperationSpec, validator: RequestValidator, http: Request, response: Response): ApiRequest<Id> {
    const scope = this.#options.scopeOf(http);
    if (operation.access === 'admin' && !scope.admin) {
      throw new Problem('forbidden', 'Only an admin may do this.');
    }
    if (isMutation(operation) && !scope.operator) {
      throw new Problem('forbidden', 'Your role only reads. Ask an admin for the role operator.');
    }
    const path = validator.path(http.params);
    const query = validator.query(new URL(http.originalUrl, 'http://local').searchParams);
    const body = isMutation(operation) ? validator.body(http.body) : ({ ok: true, value: undefined } as const);
    const details = [path, query, body].flatMap((checked) => (checked.ok ? [] : checked.details));
    if (details.length > 0) throw invalidRequest(details);
    const named = namespacesNamed(value(path), value(query));
    const denied = deniedNamespace(scope, named);
    if (denied !== undefined) throw new Problem('forbidden', `You are not authorized for namespace ${denied}. Ask an admin for a grant.`);
    return {
      path: value(path),
      query: value(query),
      body: value(body) as Operations[Id]['body'],
      scope,
      requestId: String(response.getHeader('X-Request-Id')),
      address: http.ip ?? http.socket.remoteAddress ?? '',
      ifMatch: http.get('if-match') ?? null,
      idempotencyKey: idempotencyKeyOf(http),
      http,
    };
  }

  #send<Id extends OperationId>(operation: OperationSpec, request: ApiRequest<Id>, response: Response, reply: Reply<Id>): void {
    const csv = operation.list !== undefined && (request.query as { format?: string }).format === 'csv';
    const data = JSON.stringify(reply.data);
    if (operation.method === 'get') {
      const tag = entityTagOf(data, reply.total, request.scope.key, csv ? 'csv' : 'json');
      response.setHeader('ETag', tag);
      const known = request.http.get('if-none-match');
      if (known !== undefined && tagMatches(known, tag)) {
        response.status(304).end();
        return;
      }
    }
    if (csv) {
      if (reply.nextCursor !== null) response.setHeader('X-Next-Cursor', reply.nextCursor);
      response.setHeader('Content-Disposition', `attachment; filename="${operation.path.slice(1).replaceAll('/', '-')}.csv"`);
      response.type('text/csv; charset=utf-8').send(toCsv(reply.data as readonly unknown[], csvColumns(operation.answer.data.items ?? {})));
      return;
    }
    const meta = JSON.stringify(envelopeMeta(reply, response, this.#options));
    response.status(operation.answer.status).type('application/json').send(`{"data":${data},"meta":${meta}}`);
  }
}

function specOf(id: string): OperationSpec {
  const operation = OPERATIONS.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`no operation ${id} in the description`);
  return operation;
}

function value<T>(checked: Checked<T>): T {
  if (!checked.ok) throw new Error('read before it was checked');
  return checked.value;
}

function namespacesNamed(path: Readonly<Record<string, unknown>>, query: Readonly<Record<string, unknown>>): readonly string[] {
  const inQuery = Array.isArray(query['namespace']) ? (query['namespace'] as readonly string[]) : [];
  return typeof path['ns'] === 'string' ? [path['ns'], ...inQuery] : inQuery;
}

// A form post needs no preflight, so a body that is not JSON is refused before it is read.
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
