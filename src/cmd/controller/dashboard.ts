import { type PermissionWatch, wordsOf } from '../../adapters/kubernetes/permission-watch.ts';
import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HistoryStore } from '../../ports/history-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { UsageSourceStatus } from '../../ports/usage-source.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/writers.ts';
import type { ReadSources } from '../../queries/sources.ts';
import type { LeaderElection } from '../../runtime/leader-election.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import { Application } from '../../application/index.ts';
import { createDashboardServer } from '../../server/server.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { UsageModel } from '../../state/usage-model.ts';
import { evenkeelVersion } from '../version.ts';
import type { ApiServerHealth } from '../process/api-server-health.ts';
import type { PartRegistry } from './part-registry.ts';
import { policyDefaults } from './policy-defaults.ts';
import type { ControllerPrometheus } from './prometheus.ts';
import type { Reconcilers } from './reconcilers.ts';
import { usageReader } from './usage-reader.ts';
import type { ControllerEnvironment } from './world.ts';

export interface JoinedParts {
  readonly parts: PartRegistry;
  readonly permissions: PermissionWatch;
  readonly apiServer: ApiServerHealth;
  readonly state: ClusterState;
  readonly usage: UsageModel;
  readonly prometheus: Pick<ControllerPrometheus, 'problem'>;
  /** Of the source that the leader reads, where this replica follows. */
  readonly usageStatus: () => UsageSourceStatus;
  /** null: this replica always reads for itself. */
  readonly leaderFeed: LeaderFeed | null;
  readonly history: HistoryStore;
  readonly prices: PriceSource;
  readonly election: LeaderElection | null;
  readonly reconcilers: Reconcilers;
  readonly records: RecordWriter;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
}

interface DashboardSurroundings {
  readonly world: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Builds the dashboard's server on the running parts and begins to listen. */
export async function startDashboard(
  surroundings: DashboardSurroundings,
  joined: JoinedParts,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { world, settings, metrics } = surroundings;
  // Tools of later parts, which take over their features.
  for (const tool of ['podExec', 'podLogs', 'podFiles', 'terminalRecordings']) joined.parts.addFeature(tool, false);
  const publicUrl = settings['dashboard.publicUrl'];
  const application = new Application({
    sources: readSources(surroundings, joined),
    writers: { records: joined.records, signer: joined.signer, events: joined.events },
    timer: world.timer,
    namespace: world.namespace,
  });
  const server = createDashboardServer({
    application,
    version: evenkeelVersion(),
    clock: world.clock,
    logger: surroundings.logger,
    timer: world.timer,
    metrics,
    options: {
      address: settings['dashboard.addr'],
      publicUrl: publicUrl === '' ? null : publicUrl,
      allowedHosts: settings['dashboard.allowedHosts'],
      service: { name: 'evenkeel', namespace: world.namespace, clusterDomain: 'cluster.local' },
      trustedProxies: settings['dashboard.trustedProxies'],
      anonymousWrites: settings['dashboard.anonymousWrites'],
      maxConnections: settings['dashboard.maxConnections'],
      rate: { perSecond: settings['rateLimit.perAddressPerSecond'], burst: settings['rateLimit.burst'] },
    },
  });
  const { port } = await server.listen();
  return { port, close: () => server.close() };
}

function readSources({ world, settings, logger }: DashboardSurroundings, joined: JoinedParts): ReadSources {
  const { clock } = world;
  const { state, usage, history, prices, reconcilers, apiServer, election, leaderFeed, parts } = joined;
  const paused = (): boolean => state.activePause(clock.now()) !== null;
  return {
    clock,
    cluster: state,
    identity: { name: world.clusterName, version: evenkeelVersion(), kubernetesVersion: () => apiServer.version() },
    usage: usageReader({
      usage,
      sourceName: () => joined.usageStatus().name,
      clock,
      intervalMs: settings['kubelet.interval'],
      problem: () => leaderFeed?.problem() ?? null,
    }),
    decisions: reconcilers.decisions,
    prices,
    cycleLog: history,
    rollups: history,
    timeline: history,
    health: parts.health,
    missingPermissions: () => joined.permissions.missing().map(wordsOf),
    pastUsageProblem: () => joined.prometheus.problem(),
    mode: {
      mode: () => ({
        mode: paused() ? 'paused' : settings['controller.dryRun'] ? 'dry-run' : 'active',
        dryRun: { controller: settings['controller.dryRun'], autoscaler: settings['autoscaler.dryRun'] },
        leader: election === null ? world.identity : election.holder(),
        features: parts.features,
        auth: { enabled: settings['auth.enabled'], providers: [] },
      }),
    },
    // Events about objects are watched by a later part; until then nothing is known of them, and null says so.
    events: { about: () => null },
    policyDefaults: policyDefaults(settings),
    logger,
  };
}
