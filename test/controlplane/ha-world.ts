// Environment of the suite with two replicas: a cluster with enough work for fifty effects a minute, a shared store with a week of usage,
// and replicas as processes with distinct identities.

import { join } from 'node:path';
import { openPostgresHistory } from '../../src/adapters/history/postgres-history.ts';
import { openSqliteHistory } from '../../src/adapters/history/sqlite-history.ts';
import { DAY_MS } from '#kube/units';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SystemClock, SystemTimer } from '../../src/runtime/system-clock.ts';
import { type Controller, logged, startController } from '../e2e/controller-process.ts';
import { eventually, HANG_MS } from '../eventually.ts';
import { ROOT, TestFixture } from '../e2e/processes.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { seededRandom } from '../fakes/seeded-random.ts';
import { writeRecordedUsage } from './recorded-usage.ts';
import { PASSWORD, PostgresServer } from './postgres-server.ts';
import { runningForAnHour } from './simulated-pods.ts';
import { RealCluster } from './real-cluster.ts';
import { ACCESS_EVENT_OPTIONS } from '../fakes/test-signer.ts';

const OWN_NAMESPACE = 'evenkeel-system';
const LEASE_PATH = `/apis/coordination.k8s.io/v1/namespaces/${OWN_NAMESPACE}/leases/evenkeel-controller`;
const NAMESPACES = ['shop-a', 'shop-b', 'shop-c'];
const DEPLOYMENTS_EACH = 16;
/** More pods per workload would be changed in stages, minutes apart. */
const REPLICAS = 1;
const USES = { cpuMillicores: 100, memoryBytes: 128 * 2 ** 20 };

export interface Replica extends Controller {
  readonly name: string;
}

/** The cluster, the shared store and the replicas. */
export class HaWorld {
  readonly fixture = new TestFixture();
  readonly cluster: RealCluster;
  readonly store: PostgresServer;
  readonly #kubeconfig: string;

  private constructor(cluster: RealCluster, store: PostgresServer, kubeconfig: string) {
    this.cluster = cluster;
    this.store = store;
    this.#kubeconfig = kubeconfig;
  }

  static async start(): Promise<HaWorld> {
    const store = await PostgresServer.start();
    let cluster: RealCluster | undefined;
    try {
      cluster = await RealCluster.start({ name: 'ha', nodes: 5 });
      await cluster.kubectl('create', 'namespace', OWN_NAMESPACE);
      await cluster.kubectl('apply', '-n', OWN_NAMESPACE, '-k', join(ROOT, 'config/rbac'));
      const world = new HaWorld(cluster, store, await cluster.serviceAccountKubeconfig(OWN_NAMESPACE, 'evenkeel-controller'));
      await world.#people();
      await world.#learn();
      return world;
    } catch (err) {
      await cluster?.stop();
      await store.stop();
      throw err;
    }
  }

  async end(): Promise<void> {
    await this.fixture.tearDown();
    await this.cluster.stop();
    await this.store.stop();
  }

  /** @param name name of its pod; a suffix distinguishes its successive processes */
  async replica(name: string): Promise<Replica> {
    const settings = {
      'kubernetes.kubeconfig': this.#kubeconfig,
      'kubelet.port': String(this.cluster.ports.kubelet),
      'history.url': this.store.url,
      'kubelet.interval': '5s',
      'controller.warmUp': '1s',
    };
    const controller = await startController(this.fixture, settings, { POD_NAME: name, EVENKEEL_HISTORY_PASSWORD: PASSWORD });
    return { ...controller, name };
  }

  async policy(): Promise<void> {
    const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } };
    const spec = {
      mode: 'Auto',
      cpu: rule,
      memory: rule,
      minConfidence: 0,
      cooldown: '1s',
      interval: '5s',
      maxConcurrent: 50,
    };
    const body = { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name: 'quick' }, spec };
    await this.cluster.api.expect({ method: 'POST', path: '/apis/evenkeel.io/v1alpha1/podresizepolicies', body });
  }

  async lease(): Promise<LeaseObject> {
    return this.cluster.api.expect<LeaseObject>({ method: 'GET', path: LEASE_PATH });
  }

  /** Edits the lease as a user does with kubectl. */
  async editLease(spec: object): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    await this.cluster.api.expect({ method: 'PATCH', path: LEASE_PATH, headers, body: { spec } });
  }

  /** Number of effects so far of a replica, over all its processes. */
  async effectsOf(name: string): Promise<number> {
    const events = this.cluster.audit(
      ({ userAgent = '', objectRef }) => userAgent.includes(`(${name}_`) && objectRef?.subresource === 'resize',
    );
    return events.length;
  }

  /** Recreates the pods of a namespace with the size of their templates, so that there is work again. */
  async churn(namespace: string): Promise<void> {
    await this.cluster.kubectl('delete', 'pods', '--all', '-n', namespace, '--wait=false');
  }

  async #people(): Promise<void> {
    for (const namespace of NAMESPACES) {
      await this.cluster.kubectl('create', 'namespace', namespace);
      for (const name of deployments(namespace)) {
        const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
        await this.cluster.api.expect({ method: 'POST', path, body: aDeployment(name) });
      }
    }
    await eventually('all pods run: kwok starts what is scheduled', HANG_MS, async () => {
      const { items } = await this.cluster.api.expect<PodList>({ method: 'GET', path: '/api/v1/pods' });
      const ours = items.filter(({ metadata }) => NAMESPACES.includes(metadata.namespace));
      const running = ours.filter(({ status }) => status.phase === 'Running').length;
      if (running < NAMESPACES.length * DEPLOYMENTS_EACH * REPLICAS) throw new Error(`${running} run`);
      return true;
    });
  }

  /** A week of usage, copied from the file of one replica into the shared store. */
  async #learn(): Promise<void> {
    const path = join(this.fixture.folder, 'history.sqlite');
    const workloads = NAMESPACES.flatMap((namespace) =>
      deployments(namespace).map((name) => ({ namespace, name, container: 'app', uses: USES })),
    );
    await writeRecordedUsage(path, workloads, 7 * DAY_MS);
    const common = {
      ...ACCESS_EVENT_OPTIONS,
      retentionMs: 30 * DAY_MS,
      maxBytes: 2 ** 30,
      clock: new SystemClock(),
      machine: new SystemTimer(),
      logger: new RecordingLogger(),
      metrics: NO_METRICS,
    };
    const from = await openSqliteHistory({ ...common, path });
    const address = { url: this.store.url, password: PASSWORD, caFile: '' };
    const to = await openPostgresHistory({ ...common, ...address, identity: 'mover', random: seededRandom(1) });
    for await (const checkpoint of from.loadCheckpoints()) await to.saveCheckpoints([checkpoint], 0);
    await from.close();
    await to.close();
  }
}

/** Identity of a replica in its current or last term; undefined before its first term. */
export function identityOf(replica: Replica): string | undefined {
  return logged(replica.process, 'Became leader').at(-1)?.['identity'] as string | undefined;
}

/** Number of terms of a replica so far. */
export function termsOf(replica: Replica): number {
  return logged(replica.process, 'Became leader').length;
}

/** Time at which it last became leader, from its log. */
export function becameLeaderAt(replica: Replica): number {
  return Date.parse(String(logged(replica.process, 'Became leader').at(-1)?.['time']));
}

interface LeaseObject {
  readonly spec: { readonly holderIdentity?: string; readonly renewTime?: string };
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly namespace: string }; readonly status: { readonly phase?: string } }[];
}

function deployments(namespace: string): readonly string[] {
  return Array.from({ length: DEPLOYMENTS_EACH }, (_, index) => `${namespace}-${index}`);
}

function aDeployment(name: string): object {
  const labels = { app: name };
  const resources = { requests: { cpu: '400m', memory: '512Mi' }, limits: { memory: '1Gi' } };
  const annotations = { 'kwok.x-k8s.io/usage-cpu': '100m', 'kwok.x-k8s.io/usage-memory': '128Mi', ...runningForAnHour() };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources }] },
      },
    },
  };
}
