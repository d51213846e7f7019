// /mcp: the Streamable HTTP transport of the Model Context Protocol, without sessions, so that any replica answers any request.

import express, { Router, type NextFunction, type Request, type RequestHandler, type Response as HttpResponse } from 'express';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Application } from '../../application/index.ts';
import { findMissingRole } from '../../core/access/requirement.ts';
import { EVERYONE_IS_ADMIN, type Scope } from '../../core/access/scope.ts';
import { NO_CREDENTIAL } from '../../core/access/scope-of-grant.ts';
import { KiB } from '#kube/units';
import { AccessUnconfirmedError } from '../../ports/access-store.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { RateLimiter, type Rate } from '../../runtime/clients/rate-limit.ts';
import { problemOf } from '../error-handler.ts';
import { MAX_BODY_BYTES, type RequestBounds } from '../guards/request-bounds.ts';
import { DASHBOARD_API } from '../openapi/document.ts';
import type { Operation } from '../openapi/operation.ts';
import { notReady, Problem, type ProblemCode } from '../problem.ts';
import { refusalProblem } from '../refusal-problem.ts';
import { requestFactsOf, requestIdOf } from '../request-context.ts';
import type { McpMetrics } from './mcp-metrics.ts';
import { AdvertisedSchemas, createMcpServer, type McpSdk } from './mcp-server.ts';
import { ToolCalls, type McpCaller } from './tool-calls.ts';
import { readMessage, shownName, type McpMessage } from './mcp-message.ts';
import { isResource, PROMPTS, resourcesFor } from './resources.ts';
import { isAdminTool } from './tool.ts';
import { TOOLS, toolsFor } from './tools/index.ts';

export const MCP_PATH = '/mcp';

/** The route as the guards and the trail see it: the tools only read, and POST is the transport's. */
export const MCP_OPERATION: Operation = {
  id: 'mcp',
  method: 'get',
  path: MCP_PATH,
  tag: 'MCP',
  title: 'Model Context Protocol',
  answer: { status: 200, description: 'A JSON-RPC message.', data: {} },
  access: 'viewer',
  takesIfMatch: false,
};

/** A larger message counts for the rate of calls, whatever it asks: parsing it takes as long as one. */
const SMALL_BYTES = 64 * KiB;

export interface McpRoutesOptions {
  readonly application: Application;
  readonly version: string;
  readonly logger: Logger;
  readonly timer: MachineTimer;
  readonly metrics: McpMetrics;
  readonly bounds: Pick<RequestBounds, 'admit' | 'admitBody'>;
  /** `rateLimit.mcpCallsPerSecond` and `rateLimit.mcpBurst` */
  readonly rate: Rate;
  /** The caller's permissions. @throws Problem where the credential is refused */
  scopeOf(request: Request, response: HttpResponse): Scope | Promise<Scope>;
  /** Called when a request's connection is closed or its answer sent. */
  observe(outcome: { readonly operation: string; readonly method: string; readonly status: number; readonly seconds: number }): void;
  /** Called for each call above the rate. */
  rateLimited(): void;
  /** Counts and records a refused request. */
  readonly report: (request: Request, problem: Problem) => void;
  /** Loads the SDK; given by tests. */
  readonly loadSdk?: () => Promise<McpSdk>;
}

/** Serves the MCP server. */
export function mcpRoutes(options: McpRoutesOptions): Router {
  const { bounds } = options;
  const endpoint = new McpEndpoint(options);
  const router = Router({ caseSensitive: true, strict: true });
  const readBody = express.json({ limit: MAX_BODY_BYTES, strict: false, type: () => true });
  const steps: readonly RequestHandler[] = [
    endpoint.time,
    onlyPost,
    bounds.admit,
    requireJson,
    bounds.admitBody,
    endpoint.identify,
    endpoint.countLarge,
    readBody,
  ];
  router.all(MCP_PATH, ...steps, (request, response) => endpoint.answer(request, response));
  router.use(MCP_PATH, (error: unknown, request: Request, response: HttpResponse, next: NextFunction) => {
    endpoint.sendProblem(error, request, response, next);
  });
  return router;
}

class McpEndpoint {
  readonly #options: McpRoutesOptions;
  readonly #calls: ToolCalls;
  readonly #schemas = new AdvertisedSchemas(DASHBOARD_API.schemas);
  readonly #rates: RateLimiter;
  #loaded: Promise<{ readonly sdk: McpSdk; readonly handler: McpHttpHandler }> | null = null;

  constructor(options: McpRoutesOptions) {
    this.#options = options;
    const { application, metrics, timer, logger, rate } = options;
    this.#calls = new ToolCalls({ application, metrics, timer, logger, schemas: DASHBOARD_API.schemas });
    this.#rates = new RateLimiter(rate, timer);
  }

  /** Measures the request, whatever its answer. */
  readonly time = (request: Request, response: HttpResponse, next: NextFunction): void => {
    const { timer } = this.#options;
    const startedAt = timer.nowMs();
    requestFactsOf(request).operation = MCP_OPERATION;
    response.once('close', () => {
      const seconds = (timer.nowMs() - startedAt) / 1000;
      this.#options.observe({ operation: MCP_OPERATION.id, method: request.method, status: response.statusCode, seconds });
    });
    next();
  };

  /** Verifies the caller before the body is read. @throws Problem */
  readonly identify = async (request: Request, response: HttpResponse, next: NextFunction): Promise<void> => {
    const scope = await this.#options.scopeOf(request, response);
    requestFactsOf(request).scope = scope;
    const refusal = findMissingRole(MCP_OPERATION.access, scope);
    if (refusal !== null) throw refusalProblem(refusal, (pointer) => pointer);
    next();
  };

  async answer(request: Request, response: HttpResponse): Promise<void> {
    const body: unknown = request.body;
    const caller = this.#callerOf(request, response);
    const message = readMessage(body);
    const refused = message.kind === 'other' ? null : await this.#admitCall(message, caller, request);
    if (refused !== null) {
      response.json({ jsonrpc: '2.0', id: idOf(body), error: { code: INVALID_PARAMS, message: refused } });
      return;
    }
    const { handler } = await this.#handler();
    const answered = await handler.fetch(webRequestOf(request), {
      parsedBody: body,
      authInfo: { token: '', clientId: caller.scope.actor, scopes: [], extra: { caller } },
    });
    await send(answered, response);
    // The SDK answers its errors itself.
    if (answered.status >= 500) this.#options.logger.error('MCP request failed', { requestId: caller.requestId, status: answered.status });
  }

  /** Answers a problem as a JSON-RPC error with the HTTP status. */
  sendProblem(error: unknown, request: Request, response: HttpResponse, next: NextFunction): void {
    const { logger, report } = this.#options;
    const problem = problemOf(error);
    report(request, problem);
    if (error instanceof AccessUnconfirmedError) {
      logger.warn('Refused a request whose access cannot be confirmed', { requestId: requestIdOf(response), problem: error.message });
    }
    if (problem.code === 'internal') logger.error('request failed', { requestId: requestIdOf(response), path: MCP_PATH, err: error });
    if (response.headersSent) {
      next(error);
      return;
    }
    for (const [name, text] of Object.entries(problem.headers)) response.setHeader(name, text);
    const { code, message, details } = problem;
    const data = { code, requestId: requestIdOf(response), ...(details === undefined ? {} : { details }) };
    response
      .status(problem.status)
      .json({ jsonrpc: '2.0', id: idOf(request.body), error: { code: RPC_CODES[code] ?? SERVER_ERROR, message, data } });
  }

  #callerOf(request: Request, response: HttpResponse): McpCaller {
    const { scope } = requestFactsOf(request);
    if (scope === undefined) throw new Error('a request whose caller was not verified');
    return { scope, requestId: requestIdOf(response), address: request.ip ?? '' };
  }

  /** Counts a message that is large. @throws Problem above the rate */
  readonly countLarge = (request: Request, _response: HttpResponse, next: NextFunction): void => {
    // Without a length it may be of any size.
    if (Number(request.headers['content-length'] ?? MAX_BODY_BYTES) > SMALL_BYTES) this.#count(request);
    next();
  };

  /** @throws Problem above the rate of calls */
  #count(request: Request, calls = 1): void {
    const { scope } = requestFactsOf(request);
    const { credential, actor } = scope ?? NO_CREDENTIAL;
    const client = credential.via === 'anonymous' ? addressGroup(request.ip ?? '') : (credential.keyId ?? actor);
    const waitSeconds = this.#rates.take(client, calls);
    if (waitSeconds === null) return;
    this.#options.rateLimited();
    const message = `Too many calls of MCP tools. Try again in ${waitSeconds} s.`;
    throw new Problem('rate_limited', message, { headers: { 'retry-after': String(waitSeconds) } });
  }

  /**
   * Counts a call. @returns why it is refused, as it is recorded; null: the SDK answers it. @throws Problem above the rate, and before the caches
   * have synced
   */
  async #admitCall(message: Exclude<McpMessage, { kind: 'other' }>, caller: McpCaller, request: Request): Promise<string | null> {
    this.#count(request, callsOf(message));
    if (!this.#options.application.isReady())
      throw notReady('The caches have not synced yet. Try again shortly; GET /api/v1/health lists what is missing.');
    if (message.kind === 'malformed') {
      this.#calls.recordRefused(message.called, '', 'invalid_arguments', caller);
      return message.problem;
    }
    const { called } = message;
    const name = shownName(message.name);
    if (await this.#isRegistered(message, caller)) return null;
    this.#calls.recordRefused(called, name, isAdmins(message) ? 'forbidden' : `unknown_${called}`, caller);
    if (called === 'resource') return null;
    return `${called === 'tool' ? 'Tool' : 'Prompt'} ${name} not found`;
  }

  async #isRegistered({ called, name }: Extract<McpMessage, { kind: 'call' }>, caller: McpCaller): Promise<boolean> {
    if (called === 'prompt') return PROMPTS.some((prompt) => prompt.name === name);
    if (called === 'resource') return isResource(resourcesFor(caller.scope), name);
    return (await this.#toolsFor(caller)).some((tool) => tool.name === name);
  }

  async #toolsFor({ scope }: McpCaller) {
    const mode = await this.#options.application.ask('getMode', scope, {});
    return toolsFor(scope, mode.kind === 'found' ? mode.item.features : {});
  }

  /** The handler of the SDK. A load that failed is tried again. */
  #handler(): Promise<{ readonly sdk: McpSdk; readonly handler: McpHttpHandler }> {
    return (this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = null;
      throw error;
    }));
  }

  async #load(): Promise<{ readonly sdk: McpSdk; readonly handler: McpHttpHandler }> {
    const { logger, version, loadSdk = () => import('@modelcontextprotocol/server') } = this.#options;
    const sdk = await loadSdk();
    const dependencies = { sdk, version, calls: this.#calls, schemas: this.#schemas };
    const handler = sdk.createMcpHandler(
      async ({ authInfo }) => {
        const caller = authInfo?.extra?.['caller'] as McpCaller;
        try {
          return createMcpServer(dependencies, await this.#toolsFor(caller), caller);
        } catch (error) {
          logger.error('MCP server was not created', { requestId: caller.requestId, err: error });
          throw error;
        }
      },
      {
        legacy: 'stateless',
        // Nothing is published, so that no stream stays open.
        maxSubscriptions: 0,
        onerror: (error) => logger.debug('MCP request refused', { err: error }),
      },
    );
    return { sdk, handler };
  }
}

/** Calls of tools that a message runs. */
function callsOf(message: Exclude<McpMessage, { kind: 'other' }>): number {
  if (message.kind !== 'call' || message.called !== 'prompt') return 1;
  return PROMPTS.find(({ name }) => name === message.name)?.parts({}).length ?? 1;
}

/** Whether an admin's server has what another one does not. */
function isAdmins({ called, name }: Extract<McpMessage, { kind: 'call' }>): boolean {
  if (called === 'tool') return TOOLS.some((tool) => tool.name === name && isAdminTool(tool));
  return called === 'resource' && isResource(resourcesFor(EVERYONE_IS_ADMIN), name);
}

/** The request in the form that the SDK reads. The body is handed over parsed. */
function webRequestOf(request: Request): globalThis.Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string' && !name.startsWith(':')) headers.set(name, value);
  }
  return new globalThis.Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers });
}

/** Sends an answer, which is complete: no stream stays open. */
async function send(answered: globalThis.Response, response: HttpResponse): Promise<void> {
  const body = Buffer.from(await answered.arrayBuffer());
  response.status(answered.status);
  answered.headers.forEach((value, name) => {
    if (name !== 'connection' && name !== 'content-length') response.setHeader(name, value);
  });
  response.end(body);
}

/** Streams and sessions of earlier transports are not offered (405). */
function onlyPost(request: Request, _response: HttpResponse, next: NextFunction): void {
  if (request.method === 'POST') {
    next();
    return;
  }
  throw new Problem('method_not_allowed', `${request.method} is not served here. Send MCP messages with POST.`, {
    headers: { allow: 'POST' },
  });
}

// A form post needs no CORS preflight, so a body that is not JSON is rejected before it is read.
function requireJson(request: Request, _response: HttpResponse, next: NextFunction): void {
  if (request.is('application/json') === false) {
    throw new Problem('unsupported_media_type', 'Send the message as JSON, with Content-Type: application/json.');
  }
  next();
}

function idOf(body: unknown): string | number | null {
  const { id } = (typeof body === 'object' && body !== null ? body : {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** JSON-RPC: the parameters are invalid. */
const INVALID_PARAMS = -32_602;
/** Server errors that the specification leaves to implementations. */
const SERVER_ERROR = -32_000;
/** JSON-RPC codes of problems. */
const RPC_CODES: Partial<Record<ProblemCode, number>> = { invalid_request: -32_600, internal: -32_603 };
