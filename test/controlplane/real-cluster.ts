// A real control plane for tests: the API server, scheduler and controller manager of hack/cluster, with the operations that tests need.
// Each suite has a cluster with a unique name, which is removed with it.

import { execFile } from 'node:child_process';
import { sign } from 'node:crypto';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RawApi } from '../../hack/real-cluster/api.ts';
import { buildBinaries } from '../../hack/real-cluster/binaries.ts';
import {
  componentReady,
  down,
  ensureNodes,
  isUp,
  nodesReady,
  recordOf,
  startComponent,
  stopComponent,
  up,
} from '../../hack/real-cluster/cluster.ts';
import { kubeconfig } from '../../hack/real-cluster/configuration.ts';
import { signalDaemon } from '../../hack/real-cluster/daemons.ts';
import { tryLock, type Lock } from '../../hack/real-cluster/file-lock.ts';
import { clusterFolder } from '../../hack/real-cluster/folders.ts';
import type { Component, Layout, Ports } from '../../hack/real-cluster/layout.ts';
import { DEFAULT_POOL, type NodePool } from '../../hack/real-cluster/nodes.ts';
import { HANG_MS } from '../eventually.ts';
import { knownSecret } from '../fakes/known-secrets.ts';

export interface RealClusterOptions {
  /** Unique among the suites; the cluster gets the prefix `e2e-`. */
  readonly name: string;
  readonly nodes?: number;
  readonly pool?: Partial<Omit<NodePool, 'count'>>;
  readonly prometheus?: boolean;
}

/** The fields of an audit event that tests read. */
export interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
  /** The request body, of Evenkeel's leases and own resources only. */
  readonly requestObject?: unknown;
  /** Annotations of admission, such as which webhook changed the object in which round. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** Longer than HANG_MS: the waits of Helm and kubectl, whose errors name the cause, end first. */
const COMMAND_TIMEOUT_MS = HANG_MS + 2 * 60_000;
const COMMAND_OUTPUT_BYTES = 64 * 1024 * 1024;

/** A running cluster of hack/cluster. */
export class RealCluster {
  readonly layout: Layout;
  /** Requests as the administrator. */
  readonly api: RawApi;
  /** For files of the test; removed with the cluster. */
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-real-'));
  readonly #pool: NodePool;
  readonly #reserved: ReservedName;
  readonly #audited: AuditLog;

  private constructor(layout: Layout, pool: NodePool, reserved: ReservedName) {
    this.layout = layout;
    this.#pool = pool;
    this.#reserved = reserved;
    this.#audited = new AuditLog(layout.auditLog);
    this.api = new RawApi(layout, recordOf(layout).ports.apiserver);
  }

  /** Starts a new cluster, and first removes what a killed run left of it. */
  static async start({ name, nodes = 3, pool, prometheus = false }: RealClusterOptions): Promise<RealCluster> {
    const reserved = await reserveClusterName(name);
    await down(reserved.name);
    const nodePool = { ...DEFAULT_POOL, ...pool, count: nodes };
    return new RealCluster(await up(reserved.name, { nodes: nodePool, prometheus }, () => undefined), nodePool, reserved);
  }

  /** Ends all its processes and removes all its files. */
  async stop(): Promise<void> {
    this.api.close();
    await down(this.layout.name);
    rmSync(this.folder, { recursive: true, force: true });
    await this.#reserved.lock.release();
  }

  /** Kubeconfig of the administrator. */
  get kubeconfig(): string {
    return this.layout.kubeconfig;
  }

  get ports(): Ports {
    return recordOf(this.layout).ports;
  }

  get server(): string {
    return `https://127.0.0.1:${this.ports.apiserver}`;
  }

  /** In PEM. */
  get caCertificate(): string {
    return readFileSync(this.layout.certificate('ca'), 'utf8');
  }

  get prometheus(): string {
    return `http://127.0.0.1:${this.ports.prometheus}`;
  }

  /** A token of the ServiceAccount, from the TokenRequest API. */
  async tokenFor(namespace: string, serviceAccount: string, expirationSeconds = 3600): Promise<string> {
    const { status } = await this.api.expect<{ readonly status: { readonly token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`,
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } },
    });
    return status.token;
  }

  /** The same ServiceAccount token with another expiry, signed with the cluster's key: one in the past has really expired. */
  tokenUntil(token: string, expiresAt: Date): string {
    const [header = '', payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const exp = Math.floor(expiresAt.getTime() / 1000);
    const text = `${header}.${base64url({ ...claims, iat: exp - 3600, nbf: exp - 3600, exp })}`;
    const key = readFileSync(this.layout.key('service-accounts'), 'utf8');
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }

  /** Path of a kubeconfig with only this token. @param server URL, which may be that of a proxy of the test */
  kubeconfigWith(token: string, name = 'service-account', server = this.server): string {
    const path = join(this.folder, `${name}.kubeconfig`);
    const text = kubeconfig({ cluster: this.layout.name, server, ca: this.caCertificate, user: name, credentials: { token } });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  async serviceAccountKubeconfig(namespace: string, serviceAccount: string): Promise<string> {
    const token = knownSecret(`the token of ${namespace}/${serviceAccount}`, await this.tokenFor(namespace, serviceAccount));
    return this.kubeconfigWith(token, `${namespace}.${serviceAccount}`);
  }

  /** Runs kubectl of the cluster's version as the administrator. Rejects with its standard error when it fails. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { kubectl } = await buildBinaries(['kubectl'], () => undefined);
    return run(kubectl, ['--kubeconfig', this.kubeconfig, ...args], this.#discoveryCache);
  }

  /** Runs Helm as the administrator. Helm's files are in the test's folder. */
  async helm(...args: readonly string[]): Promise<string> {
    const { helm } = await buildBinaries(['helm'], () => undefined);
    const home = { HELM_CACHE_HOME: 'cache', HELM_CONFIG_HOME: 'config', HELM_DATA_HOME: 'data' };
    const environment = Object.fromEntries(Object.entries(home).map(([key, folder]) => [key, join(this.folder, 'helm', folder)]));
    return run(helm, ['--kubeconfig', this.kubeconfig, ...args], { ...environment, ...this.#discoveryCache });
  }

  /** The default cache is keyed by host and port, which a later cluster with other resources may reuse. */
  get #discoveryCache(): Readonly<Record<string, string>> {
    return { KUBECACHEDIR: join(this.folder, 'kube-cache') };
  }

  /** Events of the audit log so far, in its order: every write with its user and response. */
  audit(isSelected: (event: AuditEvent) => boolean = () => true): readonly AuditEvent[] {
    return this.#audited.eventsSoFar().filter(isSelected);
  }

  /** Adds nodes of the pool until there are `count`. */
  async growTo(count: number): Promise<void> {
    await ensureNodes(this.layout, { ...this.#pool, count });
    await nodesReady(this.layout, count);
  }

  isRunning(component: Component): boolean {
    return isUp(this.layout, component);
  }

  /** Ends the component and waits for it; the others keep running. */
  stopComponent(component: Component): Promise<void> {
    return stopComponent(this.layout, component);
  }

  /** Starts the component on its port with its data, and waits until it is ready. */
  async startComponent(component: Component): Promise<void> {
    if (!isUp(this.layout, component)) startComponent(this.layout, component);
    await componentReady(this.layout, component);
  }

  async restartComponent(component: Component): Promise<void> {
    await this.stopComponent(component);
    await this.startComponent(component);
  }

  /** Sends a signal such as SIGKILL, SIGSTOP or SIGCONT to the process of a component. */
  signalComponent(component: Component, signal: NodeJS.Signals): void {
    const identity = recordOf(this.layout).processes[component];
    if (identity !== undefined) signalDaemon(identity, signal);
  }

  /** Adds targets to Prometheus, by job: addresses of /metrics as host:port. */
  scrape(jobs: Readonly<Record<string, readonly string[]>>): void {
    const targets = Object.entries(jobs).map(([job, addresses]) => ({ targets: addresses, labels: { job } }));
    writeFileSync(this.layout.scrapeTargets, JSON.stringify(targets));
  }
}

interface ReservedName {
  readonly name: string;
  /** Released when this process ends, at the latest. */
  readonly lock: Lock;
}

/**
 * The first of e2e-NAME, e2e-NAME-2, e2e-NAME-3 and so on that no other run in this network namespace uses, so that concurrent runs have
 * separate clusters. The prefix avoids clusters of `hack/cluster up --name`.
 */
export async function reserveClusterName(name: string): Promise<ReservedName> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? `e2e-${name}` : `e2e-${name}-${number}`;
    const lock = await tryLock(`${clusterFolder(candidate)}.suite`);
    if (lock !== null) return { name: candidate, lock };
  }
}

/** Reads a growing file incrementally, because waits poll it often. */
class AuditLog {
  readonly #path: string;
  readonly #events: AuditEvent[] = [];
  #bytesRead = 0;

  constructor(path: string) {
    this.#path = path;
  }

  eventsSoFar(): readonly AuditEvent[] {
    const file = openSync(this.#path, 'r');
    try {
      const added = Buffer.alloc(fstatSync(file).size - this.#bytesRead);
      readSync(file, added, 0, added.length, this.#bytesRead);
      // Text after the last line end is still being written.
      const end = added.lastIndexOf('\n') + 1;
      this.#bytesRead += end;
      for (const line of added.toString('utf8', 0, end).split('\n')) this.#events.push(...parsed(line));
    } finally {
      closeSync(file);
    }
    return this.#events;
  }
}

/** Nothing for an incomplete line, which a killed API server leaves. */
function parsed(line: string): readonly AuditEvent[] {
  try {
    return [JSON.parse(line) as AuditEvent];
  } catch {
    return [];
  }
}

function run(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { timeout: COMMAND_TIMEOUT_MS, maxBuffer: COMMAND_OUTPUT_BYTES, env: { ...process.env, ...environment } };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (err, stdout, stderr) => {
      if (err === null) resolve(stdout);
      else reject(new Error(`${program} ${args.join(' ')}: ${stderr || err.message}\n${stdout}`, { cause: err }));
    });
  });
}

function base64url(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
