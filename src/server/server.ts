// The dashboard server: the API under /api/v1 and the page at /. It only translates between HTTP and the application.

import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import compression from 'compression';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Operations } from '../apis/http/types.generated.ts';
import type { AccessEventLog, Application } from '../application/index.ts';
import { EVERYONE_IS_ADMIN } from '../core/access/scope.ts';
import type { DurationMs, Instant } from '#kube/units';
import type { AccessStore } from '../ports/access-store.ts';
import type { SessionLimits } from '../core/access/session-limits.ts';
import type { Clock, MachineTimer } from '../ports/clock.ts';
import type { IdentityProvider } from '../ports/identity-provider.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import { boundConnections } from '../runtime/clients/bound-connections.ts';
import { boundPipelining } from '../runtime/clients/bound-pipelining.ts';
import { clientAddress } from '../runtime/clients/client-address.ts';
import { parseListenAddress } from '../runtime/listen-address.ts';
import { MIN_TLS_VERSION, type CertificateFiles } from '../runtime/tls/certificate-files.ts';
import { ApiRouter } from './api-router.ts';
import { authMetrics } from './auth/auth-metrics.ts';
import { Authentication, type AuthenticationDependencies } from './auth/authentication.ts';
import type { IdentityProxy } from './auth/proxy-identity.ts';
import { signInRoutes, signOutTargets } from './auth/oidc/sign-in-routes.ts';
import { recordSignIns } from './auth/record-sign-ins.ts';
import { SignIns } from './auth/sign-ins.ts';
import { applicationRoutes } from './dashboard/application-routes.ts';
import { sessionRoutes } from './dashboard/session-routes.ts';
import { systemRoutes } from './dashboard/system-routes.ts';
import { dashboardEnvelope, type Envelope } from './envelope.ts';
import { errorHandler } from './error-handler.ts';
import { answerClientErrors } from './guards/client-errors.ts';
import { limitHeaders } from './guards/limit-headers.ts';
import { isAllowedHost } from './guards/allowed-host.ts';
import { isLocal, isRead } from './guards/anonymous-write.ts';
import { RequestBounds } from './guards/request-bounds.ts';
import { recordDenial } from './guards/record-denial.ts';
import { RequestRates } from './guards/request-rates.ts';
import { isSameOrigin } from './guards/same-origin.ts';
import { needsTlsFromNowOn } from './guards/secure-connection.ts';
import { setSecurityHeaders } from './guards/security-headers.ts';
import { httpMetrics, type HttpMetrics } from './http-metrics.ts';
import { mcpMetrics } from './mcp/mcp-metrics.ts';
import { MCP_OPERATION, MCP_PATH, mcpRoutes } from './mcp/mcp-routes.ts';
import { DASHBOARD_API } from './openapi/document.ts';
import type { DashboardOptions } from './options.ts';
import { pageRoutes } from './page/page-routes.ts';
import { Problem } from './problem.ts';
import { nameRequest } from './request-context.ts';
import { ChangeHub } from './stream/change-hub.ts';
import { EventStreams } from './stream/event-stream.ts';
import { STREAM_TOPICS } from './stream/topics/index.ts';

/** Dependencies of the dashboard server. */
export interface DashboardDependencies {
  readonly application: Application;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timer: MachineTimer;
  readonly metrics: Metrics;
  readonly options: DashboardOptions;
  /** null while authentication is off: every caller is an admin. */
  readonly access: DashboardAccess | null;
  /** null: plain HTTP. */
  readonly certificate: CertificateFiles | null;
  /** Default: those of docs/security.md. */
  readonly deadlines?: ConnectionDeadlines;
}

/** Times by which a client must have sent, from the connection or the end of the last request. */
export interface ConnectionDeadlines {
  readonly handshakeMs: DurationMs;
  readonly headersMs: DurationMs;
  readonly requestMs: DurationMs;
  /** Interval at which they are checked. */
  readonly checkMs: DurationMs;
}

/** Verifies the credentials of requests. */
export interface DashboardAccess {
  readonly store: AccessStore;
  /** Real time, by which sessions expire. */
  readonly now: () => Instant;
  /** `auth.session` */
  readonly sessions: SessionLimits;
  /** `auth.local.enabled` */
  readonly isLocalEnabled: boolean;
  /** `auth.proxy`; null: no proxy identifies users. */
  readonly proxy: IdentityProxy | null;
  /** null or absent: `auth.oidc` is not set. */
  readonly identityProvider?: IdentityProvider | null;
}

/** A dashboard server. */
export interface DashboardServer {
  /** Starts listening; resolves with the port. Rejects where the address is in use. */
  listen(): Promise<{ readonly port: number }>;
  /** Ends streams, gives requests in flight a grace period, then closes. */
  close(): Promise<void>;
}

/** Minimum size of a compressed body. */
const COMPRESS_FROM_BYTES = 1024;
/** Deadline of request headers, which usually fit one packet. */
export const HEADERS_MS = 10_000;
/** Deadline of the handshake of TLS. */
export const HANDSHAKE_MS = 10_000;
/** Deadline of a complete request. Bodies of mutations have a shorter one. */
export const REQUEST_MS = 60_000;
const DEADLINES: ConnectionDeadlines = { headersMs: HEADERS_MS, handshakeMs: HANDSHAKE_MS, requestMs: REQUEST_MS, checkMs: 5000 };
/** Maximum of the request line and all headers. */
export const MAX_HEAD_BYTES = 16 * 1024;
/** Idle timeout of a connection: longer than any change takes; a stream has heartbeats. */
export const SILENCE_MS = 300_000;
/** Grace period of requests in flight at shutdown. */
const CLOSE_GRACE_MS = 3000;

/** Creates the server. @throws Error for an invalid `address` */
export function createDashboardServer(dependencies: DashboardDependencies): DashboardServer {
  const { options, timer } = dependencies;
  const address = parseListenAddress(options.address);
  if (address === undefined) throw new Error(`dashboard.addr "${options.address}": expected host:port or :port`);
  const metrics = httpMetrics(dependencies.metrics);
  const streams = new EventStreams(changeHub(dependencies), timer, metrics.refused);
  const stopChecks = dependencies.access?.store.subscribe(() => streams.checkScopes());
  const app = dashboardApp(dependencies, streams, metrics);
  const handle = boundPipelining((request, response) => {
    app(request, response);
  }, metrics.refused);
  const { server, stopReloads } = createHttpServer(handle, dependencies);
  // Keep-alive outlasts the idle timeout of load balancers, so that they close connections first.
  server.keepAliveTimeout = 65_000;
  // Counted by `limitHeaders`: Node.js would ignore those beyond its own limit.
  server.maxHeadersCount = 0;
  // Another expectation than 100-continue is ignored, so that its answer has the headers of every other.
  server.on('checkExpectation', handle);
  answerClientErrors(server, metrics.refused);
  server.timeout = SILENCE_MS;
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  const { maxConnections } = options;
  boundConnections(server, {
    maxConnections,
    refused: metrics.refused,
    isProxy: (address) => isTrusted(address, 0),
    isEncrypted: dependencies.certificate !== null,
    reportHalfOpen: (count) => metrics.halfOpen(count),
  });
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', (cause) => reject(new Error(`listening on ${options.address}: ${cause.message}`, { cause })));
        server.listen(address.port, address.host, () => resolve({ port: (server.address() as AddressInfo).port }));
      }),
    close: () => {
      stopChecks?.();
      stopReloads();
      return closeGracefully(server, streams, timer);
    },
  };
}

/** HTTPS with a certificate, which is replaced for new connections when its files change. */
function createHttpServer(
  handle: RequestListener,
  { certificate, deadlines = DEADLINES }: Pick<DashboardDependencies, 'certificate' | 'deadlines'>,
): { readonly server: Server; readonly stopReloads: () => void } {
  const limits = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: deadlines.headersMs,
    requestTimeout: deadlines.requestMs,
    connectionsCheckingInterval: deadlines.checkMs,
    // The guard of the Host header answers one that is missing.
    requireHostHeader: false,
  };
  if (certificate === null) return { server: createServer(limits, handle), stopReloads: () => undefined };
  const secure = { minVersion: MIN_TLS_VERSION } as const;
  const server = createTlsServer({ ...limits, ...secure, ...certificate.pair, handshakeTimeout: deadlines.handshakeMs }, handle);
  return { server, stopReloads: certificate.watch((pair) => server.setSecureContext({ ...secure, ...pair })) };
}

/** Everything that the server answers. */
export function dashboardApp(dependencies: DashboardDependencies, streams: EventStreams, metrics: HttpMetrics): Express {
  const { application, clock, logger, timer, options } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('trust proxy', options.trustedProxies.length === 0 ? false : [...options.trustedProxies]);
  app.use(nameRequest, (request: Request, response: Response, next: NextFunction) => {
    setSecurityHeaders(response, needsTlsFromNowOn(request, options.publicUrl));
    next();
  });
  app.use(limitHeaders);
  app.use(setClientAddress(app.get('trust proxy fn') as (address: string, hop: number) => boolean));
  const rates = new RequestRates(options.rates, timer, () => metrics.rateLimited());
  app.use(rates.limitAddress);
  const bounds = new RequestBounds(timer, metrics.refused);
  const envelope = dashboardEnvelope({
    clock,
    confirmedAt: () => application.confirmedAt(),
    listDataWarnings: (scope) => application.listDataWarnings(scope),
  });
  const refuseOtherSites = checkOrigin(options);
  const auth = authMetrics(dependencies.metrics);
  const report = (request: Request, problem: Problem): void => {
    auth.answered(problem.code);
    recordDenial(application.accessEvents, request, problem);
  };
  const { access } = dependencies;
  const signIn =
    access === null
      ? null
      : authenticationOf(
          { ...access, clock, logger, timer, rates, publicUrl: options.publicUrl, maxFailuresPerMinute: options.maxFailuresPerMinute },
          access.identityProvider ?? null,
          application.accessEvents,
        );
  signIn?.signIns.subscribe((event) => auth.signIn(event));
  app.use(
    pageRoutes({
      guards: [refuseOtherSites, bounds.admit],
      signIn: { hasPassword: access?.isLocalEnabled === true, issuer: signIn?.provider?.displayName ?? null },
      formTargets: () => (signIn === null ? [] : signOutTargets(signIn.provider)),
    }),
  );
  app.use(guards(options, access !== null), refuseOtherSites);
  if (signIn !== null) app.use(signInRoutes({ ...signIn, admit: bounds.admit, report }));
  app.use(['/api', MCP_PATH], compression({ threshold: COMPRESS_FROM_BYTES, filter: isCompressible }));
  app.use('/api/v1', apiRoutes(dependencies, { streams, metrics, bounds, envelope, signIn, report }).router);
  app.use(
    mcpRoutes({
      ...{ application, version: dependencies.version, logger, timer, bounds, report },
      metrics: mcpMetrics(dependencies.metrics),
      rate: options.mcpRate,
      observe: (outcome) => metrics.observe(outcome),
      rateLimited: () => metrics.rateLimited(),
      scopeOf: (request, response) => signIn?.authentication.scopeOf(request, response, MCP_OPERATION) ?? EVERYONE_IS_ADMIN,
    }),
  );
  app.use(() => {
    throw new Problem('not_found', 'No such path. /api/v1/docs lists all endpoints.');
  });
  app.use(errorHandler(envelope, logger, report));
  return app;
}

interface ApiDependencies {
  readonly streams: EventStreams;
  readonly metrics: HttpMetrics;
  readonly bounds: RequestBounds;
  readonly envelope: Envelope;
  /** null while authentication is off. */
  readonly signIn: SignInParts | null;
  /** Counts and records a refused request. */
  readonly report: (request: Request, problem: Problem) => void;
}

/** What verifies credentials and begins sessions. */
interface SignInParts {
  readonly authentication: Authentication;
  readonly dependencies: AuthenticationDependencies;
  readonly signIns: SignIns;
  /** null: `auth.oidc` is not set. */
  readonly provider: IdentityProvider | null;
}

function apiRoutes(
  { application, version, timer, options }: DashboardDependencies,
  { streams, metrics, bounds, envelope, signIn, report }: ApiDependencies,
): ApiRouter<Operations> {
  const api = new ApiRouter<Operations>(DASHBOARD_API, {
    bounds,
    envelope,
    isReady: () => application.isReady(),
    scopeOf: (request, response, operation) => signIn?.authentication.scopeOf(request, response, operation) ?? EVERYONE_IS_ADMIN,
    observe: (outcome) => {
      metrics.observe(outcome);
      metrics.streams(streams.count);
    },
    nowMs: () => timer.nowMs(),
  });
  applicationRoutes(api, application);
  sessionRoutes(api, signIn, report, (request) => acceptsAnonymousChanges(options, request));
  systemRoutes(api, {
    streams,
    version,
    currentScope: (request, opened) => signIn?.authentication.currentScope(request) ?? Promise.resolve(opened),
  });
  api.close();
  return api;
}

function authenticationOf(
  dependencies: AuthenticationDependencies,
  provider: IdentityProvider | null,
  accessEvents: AccessEventLog,
): SignInParts {
  const authentication = new Authentication(dependencies);
  const signIns = new SignIns(authentication, dependencies);
  recordSignIns(signIns, accessEvents);
  return { authentication, dependencies, signIns, provider };
}

/** Sets `request.ip`. Express takes a hop that is no address for the client, whose limits would then count by any text. */
function setClientAddress(isTrusted: (address: string, hop: number) => boolean) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    const ip = clientAddress(request.socket.remoteAddress ?? '', request.get('x-forwarded-for'), (address) => isTrusted(address, 0));
    Object.defineProperty(request, 'ip', { value: ip });
    next();
  };
}

/** Checks of every request except the page's assets, with any credentials or none. */
function guards(options: DashboardOptions, isAuthenticated: boolean) {
  const publicHosts = options.publicUrl === null ? [] : [new URL(options.publicUrl).host];
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader('Cache-Control', 'private, no-cache');
    response.vary('Authorization');
    response.vary('Cookie');
    // Node.js keeps the first one, and a proxy may have checked the other (RFC 9112, section 3.2).
    if ((request.headersDistinct['host'] ?? []).length > 1) {
      throw new Problem('invalid_request', 'The request has more than one Host header. Send one.');
    }
    const host = request.get('host');
    if (!isAllowedHost(host, options.service, [...options.allowedHosts, ...publicHosts])) {
      throw new Problem(
        'forbidden',
        `The Host ${JSON.stringify(host ?? '')} is not allowed. Add it to dashboard.allowedHosts if it is yours.`,
      );
    }
    // MCP reads with POST.
    const isReading = isRead(request.method) || request.path === MCP_PATH;
    if (!isAuthenticated && !isReading && !acceptsAnonymousChanges(options, request)) {
      throw new Problem(
        'forbidden',
        'Changes without credentials are accepted only from loopback. Use kubectl port-forward, or set dashboard.anonymousWrites.',
      );
    }
    next();
  };
}

/** Refuses requests of other sites' pages, with any credentials or none. */
function checkOrigin({ publicUrl }: DashboardOptions) {
  const publicOrigin = publicUrl === null ? undefined : new URL(publicUrl).origin;
  return (request: Request, _response: Response, next: NextFunction): void => {
    const evidence = {
      method: request.method,
      host: request.get('host'),
      origin: request.get('origin'),
      secFetchSite: request.get('sec-fetch-site'),
      secFetchMode: request.get('sec-fetch-mode'),
      secFetchDest: request.get('sec-fetch-dest'),
    };
    if (!isSameOrigin(evidence, publicOrigin)) {
      throw new Problem(
        'csrf_failed',
        'The request comes from a page of another origin. Use the dashboard’s own page, or set dashboard.publicUrl to its address.',
      );
    }
    next();
  };
}

/** Whether changes without credentials are accepted from the client of a request. */
function acceptsAnonymousChanges({ anonymousWrites }: DashboardOptions, request: Request): boolean {
  const isForwarded = request.get('x-forwarded-for') !== undefined || request.get('forwarded') !== undefined;
  return anonymousWrites || isLocal({ peer: request.socket.remoteAddress, isForwarded });
}

function changeHub({ application, timer, logger }: DashboardDependencies): ChangeHub {
  return new ChangeHub(application.changes, timer, STREAM_TOPICS, logger);
}

// Compression would delay stream events until a full block.
function isCompressible(request: Request, response: Response): boolean {
  return !String(response.getHeader('content-type')).startsWith('text/event-stream') && compression.filter(request, response);
}

function closeGracefully(server: Server, streams: EventStreams, timer: MachineTimer): Promise<void> {
  streams.close();
  return new Promise((resolve) => {
    const cancel = timer.setTimer(CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
