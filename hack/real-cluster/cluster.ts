// Starts, inspects and stops a real control plane on loopback. Processes are identified by id and start time, never by name, and all of
// them end with the cluster.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { RawApi } from './api.ts';
import { buildBinaries } from './binaries.ts';
import { writeCertificates } from './certificates.ts';
import { componentSpec } from './components.ts';
import { writeConfiguration, writeNodeTargets, writePrometheusConfiguration } from './configuration.ts';
import { findByCommandLine, isRunning, startDaemon, stopDaemon } from './daemons.ts';
import { withLock } from './file-lock.ts';
import { clusterNames, portsLock } from './folders.ts';
import { COMPONENTS, Layout, namePorts, PORT_COUNT, type ClusterRecord, type Component } from './layout.ts';
import { nodeObjects, type NodePool } from './nodes.ts';
import { reservePorts } from './ports.ts';

export interface UpOptions {
  readonly nodes: NodePool;
  readonly prometheus: boolean;
}

type Log = (line: string) => void;

/** Long, because the machine may be busy. */
const READY_WITHIN_MS = 180_000;
const STOP_PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 100;
/** Another program may take a free port before the component listens on it. */
const TRIES = 3;

/** Starts the cluster, or its missing components; resolves when it is ready. A failed start is cleaned up. */
export async function up(name: string, options: UpOptions, log: Log, signal?: AbortSignal): Promise<Layout> {
  const layout = new Layout(name);
  nodeObjects(options.nodes, 0); // validates the pool before building
  const { controlplane, kwok } = await buildBinaries(['controlplane', 'kwok'], log, signal);
  if (options.prometheus) requirePrometheus();
  const waiting = (pid: number): void => log(`waiting for process ${pid}, which works on cluster ${name}`);
  await withLock(lockOf(layout), waiting, async () => {
    if (layout.read()?.ready === false) await removeEverything(layout); // an incomplete start
    for (let tries = 1; ; tries++) {
      const fresh = layout.read() === null;
      try {
        if (fresh) await prepare(layout, { controlplane, kwok });
        await startMissing(layout, options, log, signal);
        return;
      } catch (err) {
        const message = err instanceof Error ? err.message : String(err);
        if (!fresh) throw err; // an existing cluster is kept
        await removeEverything(layout);
        if (tries === TRIES || !message.includes('address already in use')) throw err;
        log(`${message}\ntrying again on other ports`);
      }
    }
  });
  return layout;
}

/** Stops every process of the cluster and removes its folder. Returns whether it existed. */
export async function down(name: string, log: Log = () => undefined): Promise<boolean> {
  const layout = new Layout(name);
  const existed = layout.read() !== null;
  const waiting = (pid: number): void => log(`waiting for process ${pid}, which works on cluster ${name}`);
  await withLock(lockOf(layout), waiting, () => removeEverything(layout));
  return existed;
}

function lockOf(layout: Layout): string {
  return `${layout.folder}.lock`;
}

/** Ports of all clusters, including those of stopped components. */
function reservedPorts(): ReadonlySet<number> {
  return new Set(clusterNames().flatMap((name) => Object.values(new Layout(name).read()?.ports ?? {})));
}

async function prepare(layout: Layout, binaries: ClusterRecord['binaries']): Promise<void> {
  mkdirSync(layout.folder, { recursive: true, mode: 0o700 });
  // One cluster at a time: its record reserves the ports before a component listens on them.
  const ports = await withLock(
    portsLock(),
    () => undefined,
    async () => {
      const chosen = namePorts(await reservePorts(PORT_COUNT, reservedPorts()));
      layout.write({ ports: chosen, binaries, processes: {}, ready: false });
      return chosen;
    },
  );
  await writeCertificates(layout.certificates);
  writeConfiguration(layout, ports);
}

/** Each phase depends on the earlier ones. */
const START_PHASES: readonly (readonly Component[])[] = [
  ['etcd'],
  ['kube-apiserver'],
  ['kube-controller-manager', 'kube-scheduler', 'kwok', 'kubelets', 'prometheus'],
];

async function startMissing(layout: Layout, { nodes, prometheus }: UpOptions, log: Log, signal?: AbortSignal): Promise<void> {
  const { ports } = recordOf(layout);
  for (const phase of START_PHASES) {
    signal?.throwIfAborted();
    const missing = phase.filter((component) => (component !== 'prometheus' || prometheus) && !isUp(layout, component));
    if (missing.includes('prometheus')) writePrometheusConfiguration(layout, ports);
    for (const component of missing) startComponent(layout, component);
    await Promise.all(
      missing.map(async (component) => {
        await componentReady(layout, component, signal);
        log(`${component} is ready`);
      }),
    );
  }
  await ensureNodes(layout, nodes);
  await nodesReady(layout, nodes.count, signal);
  layout.write({ ...recordOf(layout), ready: true });
}

/** The record of a cluster. @throws when the cluster does not exist */
export function recordOf(layout: Layout): ClusterRecord {
  const record = layout.read();
  if (record === null) throw new Error(`there is no cluster ${layout.name}: start it with hack/cluster up --name ${layout.name}`);
  return record;
}

export function isUp(layout: Layout, component: Component): boolean {
  const identity = layout.read()?.processes[component];
  return identity !== undefined && isRunning(identity);
}

/** Starts the process of a component; `componentReady` waits until it is ready. */
export function startComponent(layout: Layout, component: Component): void {
  const record = recordOf(layout);
  const identity = startDaemon(componentSpec(component, layout, record));
  layout.write({ ...record, processes: { ...record.processes, [component]: identity } });
}

/** Ends the process of a component; the others keep running. */
export async function stopComponent(layout: Layout, component: Component): Promise<void> {
  const identity = recordOf(layout).processes[component];
  if (identity !== undefined) await stopDaemon(identity, STOP_PATIENCE_MS);
}

/** @throws with the end of its log when the component exits or does not become ready */
export async function componentReady(layout: Layout, component: Component, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    signal?.throwIfAborted();
    if (!isUp(layout, component)) throw new Error(`${component} exited during its start:\n${readLogTail(layout, component)}`);
    if (await answers(layout, component)) return;
    if (performance.now() > deadline)
      throw new Error(`${component} is not ready after ${READY_WITHIN_MS / 1000} s:\n${readLogTail(layout, component)}`);
    await pause(LOOK_EVERY_MS);
  }
}

async function answers(layout: Layout, component: Component): Promise<boolean> {
  const { ports } = recordOf(layout);
  switch (component) {
    case 'etcd':
      return isOk(`http://127.0.0.1:${ports.etcd}/health`);
    case 'kube-apiserver':
      return apiServerReady(layout);
    case 'kube-controller-manager':
      return (await apiServerReady(layout)) && (await defaultServiceAccountExists(layout));
    case 'kube-scheduler':
      return httpsOk(layout, ports.scheduler);
    case 'kwok':
      return isOk(`http://127.0.0.1:${ports.kwok}/healthz`);
    case 'kubelets':
      return readFileSync(layout.log('kubelets'), 'utf8').includes('kubelets: watching the nodes');
    case 'prometheus':
      return isOk(`http://127.0.0.1:${ports.prometheus}/-/ready`);
  }
}

function isOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = http.get(url, { timeout: 5_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(false));
  });
}

async function apiServerReady(layout: Layout): Promise<boolean> {
  return httpsOk(layout, recordOf(layout).ports.apiserver, '/readyz');
}

async function httpsOk(layout: Layout, port: number, path = '/healthz'): Promise<boolean> {
  return withApi(layout, async (api) => (await api.request({ path, timeoutMs: 5_000 })).status === 200, port).catch(() => false);
}

/** Pods can be created in a namespace only after its default service account. */
async function defaultServiceAccountExists(layout: Layout): Promise<boolean> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default';
  return withApi(layout, async (api) => (await api.request({ path, timeoutMs: 5_000 })).status === 200).catch(() => false);
}

export async function withApi<T>(layout: Layout, work: (api: RawApi) => Promise<T>, port = recordOf(layout).ports.apiserver): Promise<T> {
  const api = new RawApi(layout, port);
  try {
    return await work(api);
  } finally {
    api.close();
  }
}

/** Adds nodes until the pool's count is reached; never removes one. */
export async function ensureNodes(layout: Layout, pool: NodePool): Promise<void> {
  const { ports } = recordOf(layout);
  await withApi(layout, async (api) => {
    const nodes = nodeObjects(pool, ports.kubelet);
    for (const node of nodes) {
      const answer = await api.request({ method: 'POST', path: '/api/v1/nodes', body: node });
      if (answer.status !== 201 && answer.status !== 409) throw new Error(`creating a node: HTTP ${answer.status}: ${answer.text}`);
    }
    const names = nodes.map(({ metadata }) => metadata.name);
    writeNodeTargets(layout, ports, names);
  });
}

interface NodeList {
  readonly items: readonly {
    readonly spec: { readonly taints?: readonly { readonly key: string }[] };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** Resolves when this many kwok nodes are Ready and accept pods. */
export async function nodesReady(layout: Layout, count: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    signal?.throwIfAborted();
    const { items } = await withApi(layout, (api) => api.expect<NodeList>({ path: '/api/v1/nodes?labelSelector=type%3Dkwok' }));
    const ready = items.filter(
      ({ spec, status }) =>
        status.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') === true &&
        spec.taints?.some(({ key }) => key === 'node.kubernetes.io/not-ready') !== true,
    );
    if (ready.length >= count) return;
    if (performance.now() > deadline)
      throw new Error(`${ready.length} of ${count} nodes are ready after ${READY_WITHIN_MS / 1000} s:\n${readLogTail(layout, 'kwok')}`);
    await pause(LOOK_EVERY_MS);
  }
}

async function removeEverything(layout: Layout): Promise<void> {
  const record = layout.read();
  if (record !== null) await stopCluster(layout, record);
  rmSync(layout.folder, { recursive: true, force: true });
}

async function stopCluster(layout: Layout, record: ClusterRecord): Promise<void> {
  // The API server before etcd, so that no request waits for a stopped etcd.
  for (const component of [...COMPONENTS].reverse()) {
    const patienceMs = component === 'kube-apiserver' ? STOP_PATIENCE_MS : STOP_PATIENCE_MS / 4;
    const identity = record.processes[component];
    if (identity !== undefined) await stopDaemon(identity, patienceMs);
    // A process whose command was killed before it recorded the process.
    for (const unwritten of findByCommandLine(componentSpec(component, layout, record))) await stopDaemon(unwritten, patienceMs);
  }
}

function requirePrometheus(): void {
  try {
    execFileSync('prometheus', ['--version'], { stdio: 'ignore' });
  } catch (cause) {
    throw new Error('--prometheus needs the program prometheus: apt-get install prometheus', { cause });
  }
}

function readLogTail(layout: Layout, component: Component): string {
  try {
    return readFileSync(layout.log(component), 'utf8').split('\n').slice(-12).join('\n');
  } catch {
    return '(no log)';
  }
}
