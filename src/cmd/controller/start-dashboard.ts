import { type PermissionWatch, wordsOf } from '../../adapters/kubernetes/access/permission-watch.ts';
import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import type { EventRecorder } from '../../ports/cluster/event-recorder.ts';
import type { AccessStore } from '../../ports/access-store.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { HistoryStore } from '../../ports/store/history-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { UsageSourceStatus } from '../../ports/usage/usage-source.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/cluster/writers.ts';
import type { ReadSources, PolicyDefaults } from '../../queries/sources.ts';
import type { Election } from '../../ports/cluster/election.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import { AccessEventLog, Application } from '../../application/index.ts';
import { CertificateFiles } from '../../runtime/tls/certificate-files.ts';
import { createDashboardServer, type DashboardAccess } from '../../server/server.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { UsageModel } from '../../state/usage/usage-model.ts';
import { evenkeelVersion } from '../version.ts';
import type { ApiServerHealth } from '../process/api-server-health.ts';
import { healthSource } from './health-sources.ts';
import { openDashboardHealth, openDashboardWarning } from './open-dashboard.ts';
import type { StatusRegistry } from './status-registry.ts';
import type { ControllerPrometheus } from './usage/prometheus.ts';
import type { Reconcilers } from './reconcilers.ts';
import { sessionLimits } from './session-limit-settings.ts';
import { usageReader } from './usage/usage-reader.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import { podResizeDefaults } from '../../core/resize/policy/pod-resize-defaults.ts';
import { defaultsFrom, schemaFieldDefaults, type FieldDefaults } from '../../core/policies/effective-values.ts';
import { formatDuration } from '../../core/model/duration.ts';

export interface DashboardDependencies {
  readonly registry: StatusRegistry;
  readonly permissions: PermissionWatch;
  readonly apiServer: ApiServerHealth;
  readonly state: ClusterState;
  readonly usage: UsageModel;
  readonly prometheus: Pick<ControllerPrometheus, 'problem'>;
  /** Status of the usage source; the leader's where this replica follows. */
  readonly usageStatus: () => UsageSourceStatus;
  /** null where this replica never follows. */
  readonly leaderFeed: LeaderFeed | null;
  readonly history: HistoryStore;
  readonly prices: PriceSource;
  readonly election: Election | null;
  readonly reconcilers: Reconcilers;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
  /** null while authentication is off. */
  readonly access: AccessStore | null;
  /** null where `auth.oidc` is not set. */
  readonly identityProvider: IdentityProvider | null;
}

interface DashboardProcess {
  readonly environment: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Builds the dashboard's server on the running components and starts to listen. */
export async function startDashboard(
  process: DashboardProcess,
  dashboardDependencies: DashboardDependencies,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { environment, settings, metrics } = process;
  // Features that this version does not have yet.
  for (const tool of ['podExec', 'podLogs', 'podFiles', 'terminalRecordings']) dashboardDependencies.registry.addFeature(tool, false);
  const openWarning = openDashboardWarning(settings);
  if (openWarning !== null) process.logger.warn('The dashboard requires no credential', { warning: openWarning.message });
  dashboardDependencies.registry.addHealth(...openDashboardHealth(openWarning, environment.clock.now()));
  const publicUrl = settings['dashboard.publicUrl'];
  const { access, identityProvider } = dashboardDependencies;
  const { clock, timer } = environment;
  const accessEvents = new AccessEventLog({ writer: dashboardDependencies.history, clock, timer, logger: process.logger });
  const application = new Application({
    sources: readSources(process, dashboardDependencies),
    writers: { records: dashboardDependencies.records, signer: dashboardDependencies.signer, events: dashboardDependencies.events },
    timer: environment.timer,
    namespace: environment.namespace,
    accessEvents,
  });
  const server = createDashboardServer({
    application,
    version: evenkeelVersion(),
    clock: environment.clock,
    logger: process.logger,
    timer: environment.timer,
    metrics,
    certificate: await openCertificate(process, dashboardDependencies.registry),
    access: access === null ? null : { ...dashboardAccess(access, settings), identityProvider },
    options: {
      address: settings['dashboard.addr'],
      publicUrl: publicUrl === '' ? null : publicUrl,
      allowedHosts: settings['dashboard.allowedHosts'],
      service: { name: 'evenkeel', namespace: environment.namespace, clusterDomain: 'cluster.local' },
      trustedProxies: settings['dashboard.trustedProxies'],
      anonymousWrites: settings['dashboard.anonymousWrites'],
      maxConnections: settings['dashboard.maxConnections'],
      rates: {
        address: { perSecond: settings['rateLimit.perAddressPerSecond'], burst: settings['rateLimit.burst'] },
        credential: { perSecond: settings['rateLimit.perCredentialPerSecond'], burst: settings['rateLimit.credentialBurst'] },
      },
      mcpRate: { perSecond: settings['rateLimit.mcpCallsPerSecond'], burst: settings['rateLimit.mcpBurst'] },
      maxFailuresPerMinute: settings['rateLimit.failedAuthenticationsPerMinute'],
    },
  });
  const { port } = await server.listen();
  const endUpkeep = application.keepCurrent();
  const close = (): Promise<void> => {
    endUpkeep();
    return server.close().finally(() => accessEvents.close());
  };
  return { port, close };
}

function dashboardAccess(store: AccessStore, settings: Settings): DashboardAccess {
  const { 'auth.proxy.header': header, 'auth.proxy.addresses': addresses } = settings;
  return {
    store,
    now: () => Date.now(),
    sessions: sessionLimits(settings),
    isLocalEnabled: settings['auth.local.enabled'],
    proxy: header === '' ? null : { header, addresses },
  };
}

/** null: plain HTTP. @throws ConfigurationError where the files of `dashboard.tls` cannot be used */
async function openCertificate(
  { environment, settings, logger }: DashboardProcess,
  registry: StatusRegistry,
): Promise<CertificateFiles | null> {
  const { 'dashboard.tls.certFile': certFile, 'dashboard.tls.keyFile': keyFile } = settings;
  if (certFile === '') return null;
  const { timer, clock } = environment;
  const files = await CertificateFiles.open({ setting: 'dashboard.tls', certFile, keyFile, timer, logger, now: () => Date.now() });
  registry.addHealth(healthSource('dashboard-tls', clock, () => files.status()));
  return files;
}

function readSources({ environment, settings, logger }: DashboardProcess, dashboardDependencies: DashboardDependencies): ReadSources {
  const { clock } = environment;
  const openWarning = openDashboardWarning(settings);
  const { state, usage, history, prices, reconcilers, apiServer, election, leaderFeed, registry } = dashboardDependencies;
  return {
    clock,
    cluster: state,
    identity: { name: environment.clusterName, version: evenkeelVersion(), kubernetesVersion: () => apiServer.version() },
    usage: usageReader({
      usage,
      sourceName: () => dashboardDependencies.usageStatus().name,
      clock,
      intervalMs: settings['kubelet.interval'],
      problem: () => leaderFeed?.problem() ?? null,
    }),
    decisions: reconcilers.decisions,
    prices,
    cycleLog: history,
    rollups: history,
    timeline: history,
    accessEvents: {
      read: (filter) => history.readAccessEvents(filter),
      verify: () => history.verifyAccessEvents(new Map()),
    },
    health: registry.health,
    missingPermissions: () => dashboardDependencies.permissions.missing().map(wordsOf),
    pastUsageProblem: () => dashboardDependencies.prometheus.problem(),
    mode: {
      mode: () => {
        const pause = state.activePause(clock.now());
        return {
          mode: pause !== null ? 'paused' : settings['controller.dryRun'] ? 'dry-run' : 'active',
          pause,
          dryRun: { controller: settings['controller.dryRun'], autoscaler: settings['autoscaler.dryRun'] },
          leader: election === null ? environment.identity : election.holder(),
          features: registry.features,
          auth: {
            enabled: settings['auth.enabled'],
            providers: signInProviders(settings),
          },
          warnings: openWarning === null ? [] : [openWarning],
        };
      },
    },
    // null: Events about objects are not watched in this version.
    events: { about: () => null },
    policyDefaults: policyDefaults(settings),
    access: dashboardDependencies.access,
    logger,
  };
}

function signInProviders(settings: Settings): readonly string[] {
  if (!settings['auth.enabled']) return [];
  const oidc = settings['auth.oidc.issuer'] === '' ? [] : ['oidc'];
  return [...(settings['auth.local.enabled'] ? ['local'] : []), ...oidc, ...(settings['auth.proxy.header'] === '' ? [] : ['proxy'])];
}

/** The defaults of policies' fields, and whether each comes from a setting or a constant. */
function policyDefaults(settings: Settings): PolicyDefaults {
  const byKind: Readonly<Record<string, FieldDefaults>> = {
    PodResizePolicy: defaultsFrom('default', podResizeDefaults()),
    NodeScalingPolicy: nodeScalingDefaults(settings),
  };
  return { defaultsOf: (kind) => ({ ...schemaFieldDefaults(kind), ...byKind[kind] }) };
}

function nodeScalingDefaults(settings: Settings): FieldDefaults {
  return defaultsFrom('setting', {
    minNodes: settings['autoscaler.minNodes'],
    maxNodes: settings['autoscaler.maxNodes'],
    scaleUpThreshold: settings['autoscaler.scaleUpThreshold'],
    scaleDownThreshold: settings['autoscaler.scaleDownThreshold'],
    scaleUpCooldown: formatDuration(settings['autoscaler.scaleUpCooldown']),
    scaleDownCooldown: formatDuration(settings['autoscaler.scaleDownCooldown']),
    scanInterval: formatDuration(settings['autoscaler.scanInterval']),
    preferSpot: settings['autoscaler.preferSpot'],
  });
}
