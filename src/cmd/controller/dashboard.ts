import type { KubernetesInformers } from '../../adapters/kubernetes/informers.ts';
import { type PermissionWatch, wordsOf } from '../../adapters/kubernetes/permission-watch.ts';
import type { LeaderFeed } from '../../controllers/replicas/leader-feed.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HistoryStore } from '../../ports/history-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { UsageSourceStatus } from '../../ports/usage-source.ts';
import type { RecordKey } from '../../adapters/kubernetes/record-key.ts';
import type { RecordSigner } from '../../ports/record-signer.ts';
import type { RecordWriter } from '../../ports/writers.ts';
import type { HealthSource, ReadSources } from '../../queries/sources.ts';
import type { LeaderElection } from '../../runtime/leader-election.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import { Application } from '../../application/index.ts';
import { createDashboardServer } from '../../server/server.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { UsageModel } from '../../state/usage-model.ts';
import { evenkeelVersion } from '../version.ts';
import type { Admission } from './admission.ts';
import type { ApiServerHealth } from '../process/api-server-health.ts';
import type { CrdKeeper } from './crds.ts';
import {
  admissionHealth,
  healthSource,
  informerHealth,
  leaderHealth,
  permissionHealth,
  prometheusHealth,
  recordKeyHealth,
  storeHealth,
  pressureHealth,
  throttlingHealth,
  usageHealth,
} from './health-sources.ts';
import { credentialsHealth } from './plaintext-credentials.ts';
import { policyDefaults } from './policy-defaults.ts';
import type { ControllerPrometheus } from './prometheus.ts';
import type { Reconcilers } from './reconcilers.ts';
import { usageReader } from './usage-reader.ts';
import type { LiveUsage } from './usage-sources.ts';
import { workloadKindsHealth } from './workload-kinds.ts';
import type { ControllerWorld } from './world.ts';

export interface JoinedParts {
  readonly permissions: PermissionWatch;
  /** Credentials that are sent without encryption, in sentences. */
  readonly plaintext: readonly string[];
  readonly apiServer: ApiServerHealth;
  readonly admission: Pick<Admission, 'status'>;
  /** null: they are somebody else's to install. */
  readonly crds: CrdKeeper | null;
  readonly state: ClusterState;
  readonly informers: KubernetesInformers;
  readonly usage: UsageModel;
  readonly usageSource: LiveUsage;
  readonly prometheus: Pick<ControllerPrometheus, 'problem' | 'status'>;
  /** null: this replica always reads for itself. */
  readonly leaderFeed: LeaderFeed | null;
  readonly history: HistoryStore;
  readonly prices: PriceSource;
  readonly election: LeaderElection | null;
  readonly reconcilers: Reconcilers;
  readonly records: RecordWriter;
  readonly recordKey: Pick<RecordKey, 'problem'>;
  readonly signer: RecordSigner;
  readonly events: EventRecorder;
}

interface DashboardSurroundings {
  readonly world: ControllerWorld;
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
  const { state, usage, history, prices, reconcilers, apiServer, election, leaderFeed } = joined;
  const paused = (): boolean => state.activePause(clock.now()) !== null;
  return {
    clock,
    cluster: state,
    identity: { name: world.clusterName, version: evenkeelVersion(), kubernetesVersion: () => apiServer.version() },
    usage: usageReader({
      usage,
      sourceName: () => sourceStatus(joined).name,
      clock,
      intervalMs: settings['kubelet.interval'],
      problem: () => leaderFeed?.problem() ?? null,
    }),
    decisions: reconcilers.decisions,
    prices,
    cycleLog: history,
    rollups: history,
    timeline: history,
    health: healthSources(world, joined),
    missingPermissions: () => joined.permissions.missing().map(wordsOf),
    pastUsageProblem: () => joined.prometheus.problem(),
    mode: {
      mode: () => ({
        mode: paused() ? 'paused' : settings['controller.dryRun'] ? 'dry-run' : 'active',
        dryRun: { controller: settings['controller.dryRun'], autoscaler: settings['autoscaler.dryRun'] },
        leader: election === null ? world.identity : election.holder(),
        features: {
          idleWorkloads: settings['features.idleWorkloads'],
          podExec: false,
          podLogs: false,
          podFiles: false,
          terminalRecordings: false,
        },
        auth: { enabled: settings['auth.enabled'], providers: [] },
      }),
    },
    // Events about objects are watched by a later part; until then nothing is known of them, and null says so.
    events: { about: () => null },
    policyDefaults: policyDefaults(settings),
    logger,
  };
}

/** Of the source that the leader reads, where this replica follows. */
function sourceStatus({ usageSource, leaderFeed }: JoinedParts): UsageSourceStatus {
  return leaderFeed?.source() ?? usageSource.status();
}

function healthSources(world: ControllerWorld, joined: JoinedParts): readonly HealthSource[] {
  const { clock } = world;
  const { apiServer, permissions, crds, informers, usage, leaderFeed, history, election, state, prices } = joined;
  const source = (): UsageSourceStatus => sourceStatus(joined);
  const startedAt = clock.now();
  return [
    apiServer,
    ...credentialsHealth(joined.plaintext, startedAt),
    permissionHealth(permissions, clock),
    ...admissionHealth(joined.admission, clock),
    ...(crds === null ? [] : [healthSource('custom-resources', clock, () => crds.status())]),
    ...informerHealth(informers, clock),
    workloadKindsHealth(informers, state, clock),
    usageHealth(usage, source, leaderFeed, clock),
    throttlingHealth(usage.evidence, source, clock),
    pressureHealth(usage.evidence, source, clock),
    ...prometheusHealth(joined.prometheus, clock),
    healthSource('price-source', clock, () => {
      const estimated = [...state.nodes()].filter((node) => prices.priceOf(node).estimate).length;
      if (estimated === 0) return { status: 'ok', message: 'every node has a price' };
      return { status: 'degraded', message: `${estimated} nodes have an estimated price: set prices.file` };
    }),
    storeHealth(history, clock),
    recordKeyHealth(joined.recordKey, clock),
    leaderHealth(election, world.identity, clock),
  ];
}
