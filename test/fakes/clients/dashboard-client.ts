import type { DashboardOptions } from '../../../src/server/options.ts';
import { DEFAULT_SESSION_LIMITS } from '../../../src/core/access/session-limits.ts';
import { AccessEventLog, Application } from '../../../src/application/index.ts';
import { createDashboardServer, type ConnectionDeadlines, type DashboardAccess } from '../../../src/server/server.ts';
import type { Metrics } from '../../../src/ports/metrics.ts';
import type { MachineTimer } from '../../../src/ports/clock.ts';
import type { CertificateFiles } from '../../../src/runtime/tls/certificate-files.ts';
import type { DashboardWorld } from '../../builders/dashboard-world.ts';
import { TEST_SIGNER } from '../test-signer.ts';

/** Options of the dashboard of a test. */
export const DASHBOARD_OPTIONS: DashboardOptions = {
  address: '127.0.0.1:0',
  publicUrl: null,
  allowedHosts: [],
  service: { name: 'evenkeel', namespace: 'evenkeel-system', clusterDomain: 'cluster.local' },
  trustedProxies: [],
  anonymousWrites: true,
  maxConnections: 1000,
  rates: { address: { perSecond: 1e6, burst: 1e6 }, credential: { perSecond: 1e6, burst: 1e6 } },
  mcpRate: { perSecond: 1e6, burst: 1e6 },
  maxFailuresPerMinute: 10,
};

/** The dashboard server on a loopback port, with simple requests to it. */
export interface DashboardClient {
  readonly origin: string;
  readonly port: number;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  close(): Promise<void>;
}

/** A response of the dashboard. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON; undefined when the body is not JSON. */
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers of every shape
}

/** Access with the default limits of sessions, where a test sets none. */
type TestedAccess = Omit<DashboardAccess, 'sessions'> & Partial<Pick<DashboardAccess, 'sessions'>>;

/** Starts a dashboard over the fakes of a world, on a free port of 127.0.0.1. */
export async function startDashboard(
  world: Omit<DashboardWorld, 'timer' | 'metrics'> & { readonly timer: MachineTimer; readonly metrics: Metrics },
  options: Partial<DashboardOptions> = {},
  access: TestedAccess | null = null,
  certificate: CertificateFiles | null = null,
  deadlines?: ConnectionDeadlines,
): Promise<DashboardClient> {
  const server = createDashboardServer({
    application: applicationOf(world),
    version: world.sources.identity.version,
    clock: world.sources.clock,
    logger: world.sources.logger,
    timer: world.timer,
    metrics: world.metrics,
    access: access === null ? null : { sessions: DEFAULT_SESSION_LIMITS, ...access },
    certificate,
    ...(deadlines === undefined ? {} : { deadlines }),
    options: { ...DASHBOARD_OPTIONS, ...options },
  });
  const { port } = await server.listen();
  const origin = `http://127.0.0.1:${port}`;
  const request = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  };
  return {
    origin,
    port,
    get: (path, headers = {}) => request(path, { headers }),
    send: (method, path, body, headers = {}) =>
      request(path, {
        method,
        headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    close: () => server.close(),
  };
}

/** The application over the fakes of a world. */
export function applicationOf(world: Omit<DashboardWorld, 'timer' | 'metrics'> & { readonly timer: MachineTimer }): Application {
  const { sources, records, events, timer, history } = world;
  const writers = { records, signer: TEST_SIGNER, events: { record: (event: (typeof events)[number]) => void events.push(event) } };
  const accessEvents = new AccessEventLog({ writer: history, clock: sources.clock, timer, logger: sources.logger });
  return new Application({ sources, writers, timer, namespace: DASHBOARD_OPTIONS.service.namespace, accessEvents });
}
