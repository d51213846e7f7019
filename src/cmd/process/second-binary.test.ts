// A minimal second binary on the ProcessHost: its own settings, one informer, one reconciler.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../../test/fakes/seeded-random.ts';
import type { EffectGate, EffectGateState } from '../../runtime/effects/effect-gate.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import type { SettingsOf, SettingTable } from '../../runtime/options/setting.ts';
import { raceWithAbort } from '../../runtime/or-aborted.ts';
import type { Reconciler } from '../../runtime/reconciler.ts';
import { ReconcilerHost } from '../../runtime/reconciler-host.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import { WorkQueue } from '../../runtime/work-queue.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { ProcessHost } from './process-host.ts';
import type { ProcessEnvironment } from './process-environment.ts';
import { type Binary, runBinary } from './run-binary.ts';

const NAMESPACE = 'evenkeel-system';
const LEASE = 'node-watcher';
const NODES = 2;

const SETTINGS = {
  'watcher.addr': { type: 'address', default: '127.0.0.1:0', help: 'Address of probes and metrics.' },
  'watcher.logLevel': { type: 'string', default: 'info', enum: ['info', 'error'], help: 'Lowest level that is logged.' },
  'watcher.labels': {
    type: 'list',
    items: {
      type: 'object',
      fields: { name: { type: 'string', help: 'Its name.' }, value: { type: 'string', secret: true, help: 'A secret.' } },
    },
    default: [],
    help: 'A list of objects.',
  },
} as const satisfies SettingTable;

interface WatcherWorld extends ProcessEnvironment {
  close(): Promise<void>;
}

/** Records the reconciled nodes, and the state of the gate at the last one. */
class NodeWatcher implements Reconciler {
  readonly #gate: EffectGate;
  readonly #onAll: (state: EffectGateState) => void;
  readonly #seen = new Set<string>();

  constructor(gate: EffectGate, onAll: (state: EffectGateState) => void) {
    this.#gate = gate;
    this.#onAll = onAll;
  }

  reconcile(key: string) {
    this.#seen.add(key);
    if (this.#seen.size === NODES) this.#onAll(this.#gate.state());
    return Promise.resolve({ done: true } as const);
  }
}

/** One replica in this process. */
class Replica {
  readonly exit: Promise<number>;
  readonly log: Promise<string>;
  port = 0;
  informers: readonly string[] = [];
  isWorldClosed = false;
  readonly #stop = new AbortController();
  readonly #reconciled = Promise.withResolvers<EffectGateState>();
  readonly #up = Promise.withResolvers<null>();
  readonly #cluster: EmbeddedCluster;
  readonly #identity: string;

  constructor(cluster: EmbeddedCluster, identity: string, args: readonly string[] = []) {
    this.#cluster = cluster;
    this.#identity = identity;
    const stderr = new PassThrough();
    this.log = text(stderr);
    const streams = { args, environment: {}, stdout: new PassThrough(), stderr, stop: this.#stop.signal };
    this.exit = runBinary(this.#binary(), streams).finally(() => stderr.end());
  }

  /** Resolves once its informers have synced. */
  whenUp(): Promise<null> {
    return this.#up.promise;
  }

  /** Resolves with the state of the gate once it leads and has reconciled every node. */
  whenReconciled(): Promise<EffectGateState> {
    return this.#reconciled.promise;
  }

  /** Resolves with the exit code. */
  stop(): Promise<number> {
    this.#stop.abort(new Error('stopped by the test'));
    return this.exit;
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: string }> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`);
    return { status: response.status, body: await response.text() };
  }

  #binary(): Binary<typeof SETTINGS, WatcherWorld> {
    return {
      name: 'node-watcher',
      schema: { settings: SETTINGS },
      logLevel: (settings) => settings['watcher.logLevel'],
      reach: (_settings, { timer }) => Promise.resolve(this.#world(timer)),
      start: (settings, world, { logger, metrics }, signal) => {
        const host = new ProcessHost({ environment: world, logger, metrics, lease: LEASE }, signal);
        return host.startWith(() => this.#start(host, settings));
      },
    };
  }

  async #start(host: ProcessHost, settings: SettingsOf<typeof SETTINGS>): Promise<ProcessHost> {
    await host.begin();
    const endpoints = await host.serveEndpoints({ both: settings['watcher.addr'] });
    this.port = endpoints.probePort;
    const informers = await host.startInformers(['node']);
    this.informers = informers.informers().map(({ name }) => name);
    const gate = await host.openGate({ dryRun: true, sources: [] });
    await raceWithAbort(informers.whenSynced, host.stopping);
    await host.lead((term) => this.#reconcileNodes(host, gate, term));
    this.#up.resolve(null);
    return host;
  }

  #reconcileNodes({ environment, state, logger, metrics }: ProcessHost, gate: EffectGate, term: AbortSignal): Promise<void> {
    const { clock, timer: machine, activity, random } = environment;
    const queue = new WorkQueue({ clock, machine, activity, random });
    for (const { name } of state.nodes()) queue.add(name);
    const reconciler = new NodeWatcher(gate, this.#reconciled.resolve);
    return new ReconcilerHost({ name: 'node', queue, reconciler, machine, logger, metrics, workers: 1 }).run(term);
  }

  #world(timer: ProcessEnvironment['timer']): WatcherWorld {
    return {
      transport: this.#cluster.transport('node-watcher'),
      leaseTransport: this.#cluster.transport('node-watcher'),
      clock: this.#cluster.clock,
      timer,
      activity: this.#cluster.activity.labelled('node-watcher'),
      random: seededRandom(1),
      namespace: NAMESPACE,
      clusterName: 'embedded',
      identity: this.#identity,
      close: () => {
        this.isWorldClosed = true;
        return Promise.resolve();
      },
    };
  }
}

describe('A second binary on the process host', () => {
  let cluster: EmbeddedCluster;
  const replicas: Replica[] = [];

  beforeEach(async () => {
    cluster = new EmbeddedCluster({
      startAt: Date.UTC(2026, 0, 1),
      seed: 1,
      random: seededRandom,
      speed: 60,
      nodes: { count: NODES, machineTypes: ['e2-standard-4'] },
      timer: new SystemTimer(),
      logger: SILENT_LOGGER,
    });
    await cluster.transport('test').request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    });
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    cluster.close();
  });

  function start(identity: string, ...args: readonly string[]): Replica {
    const replica = new Replica(cluster, identity, args);
    replicas.push(replica);
    return replica;
  }

  async function holder(): Promise<unknown> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${NAMESPACE}/leases/${LEASE}`;
    const { body } = await cluster.transport('test').request({ method: 'GET', path });
    return (body as { readonly spec: { readonly holderIdentity?: string } }).spec.holderIdentity;
  }

  test('leads with its own lease, reconciles the objects of its informer, and watches the pause', async () => {
    const replica = start('one');
    expect(await replica.whenReconciled()).toMatchObject({ dryRun: true, paused: null, stale: null });
    expect(await holder()).toBe('one');
    expect(replica.informers).toEqual(['nodes', 'configmaps']);
  });

  test('serves probes and metrics on one address', async () => {
    const replica = start('one');
    await replica.whenReconciled();
    await replica.whenUp();
    expect(await replica.get('/healthz')).toEqual({ status: 200, body: 'ok\n' });
    expect(await replica.get('/readyz')).toEqual({ status: 200, body: 'ok\n' });
    const { body } = await replica.get('/metrics');
    expect(body).toContain('evenkeel_leader 1');
    expect(body).toMatch(/evenkeel_build_info\{version=".+"\} 1/);
    expect(body).toMatch(/evenkeel_reconcile_total\{controller="node",result="success"\} [12]\n/);
  });

  test('stops gracefully: exit code 0, lease released, port and environment closed', async () => {
    const replica = start('one');
    await replica.whenReconciled();
    await replica.whenUp();
    expect(await replica.stop()).toBe(0);
    expect(await holder()).toBe('');
    await expect(replica.get('/healthz')).rejects.toThrow();
    expect(replica.isWorldClosed).toBe(true);
    expect(await replica.log).toMatch(/"message":"Stopping"[^]*"message":"Stopped"/);
  });

  test('a second replica follows, is ready, and leads once the first has stopped', async () => {
    const first = start('one');
    await first.whenReconciled();
    const second = start('two');
    await second.whenUp();
    expect([(await second.get('/readyz')).status, await holder()]).toEqual([200, 'one']);
    await first.stop();
    await second.whenReconciled();
    expect(await holder()).toBe('two');
  });

  test('logs its settings with secrets masked, also inside objects', async () => {
    const replica = start('one', '--watcher.labels=[{"name":"team","value":"hush"}]');
    await replica.whenUp();
    await replica.stop();
    const log = await replica.log;
    expect(JSON.parse(log.split('\n')[0] ?? '')).toMatchObject({
      message: 'Settings that were set; all others have their defaults',
      settings: { 'watcher.labels': [{ name: 'team', value: '***' }] },
    });
    expect(log.split('\n')[0]).not.toContain('watcher.logLevel');
    expect(log).not.toContain('hush');
  });

  test('exits with 2 for invalid settings with all problems, and starts nothing', async () => {
    const replica = start('one', '--watcher.addr=nowhere', '--watcher.labels=[{"value":"hush"}]', '--controller.dry-run=true');
    expect(await replica.exit).toBe(2);
    expect((await replica.log).split('\n')).toEqual([
      'node-watcher: 3 settings are wrong:',
      expect.stringContaining('watcher.addr (flag --watcher.addr): "nowhere": must be an address'),
      expect.stringContaining('watcher.labels[0].name (flag --watcher.labels): "***": is required'),
      expect.stringContaining('controller.dry-run (flag --controller.dry-run): there is no such setting'),
      '',
    ]);
    expect(replica.isWorldClosed).toBe(false);
  });

  test('exits with 1 where it cannot start, and leaves nothing running', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    try {
      const replica = start('one', `--watcher.addr=127.0.0.1:${(taken.address() as AddressInfo).port}`);
      expect(await replica.exit).toBe(1);
      expect(await replica.log).toContain('listening on 127.0.0.1');
      expect(replica.isWorldClosed).toBe(true);
    } finally {
      taken.close();
    }
  });

  test('exits with 0 where it is stopped during the start', async () => {
    const replica = start('one');
    expect(await replica.stop()).toBe(0);
    expect(await replica.log).toContain('"message":"Stopped during the start"');
    expect(replica.isWorldClosed).toBe(true);
    expect(replica.port).toBeGreaterThan(0);
    await expect(replica.get('/healthz')).rejects.toThrow();
  });
});
