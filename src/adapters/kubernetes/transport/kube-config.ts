// Kubeconfig and in-cluster credentials, resolved by client-node: files, exec plugins, and tokens that are rotated on disk.

import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { KubeConfig } from '@kubernetes/client-node';
import type { KubeConnection } from './connection.ts';
import { TokenFile, tokenFileOf } from './token-file.ts';
import { ConfigurationError } from '../../../ports/configuration-error.ts';

/** Cache time of credentials. Kubelets rotate a mounted token well before it expires, so rereading every 30 s finds it in time. */
const CREDENTIALS_CACHED_MS: DurationMs = 30_000;

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The context name that client-node invents for a pod's ServiceAccount, which is not a cluster name. */
const IN_CLUSTER_CONTEXT = 'inClusterContext';

export interface KubeConfigOptions {
  /** Path of a kubeconfig; unset: `KUBECONFIG`, then `~/.kube/config`, then the pod's service account. */
  readonly path?: string;
  readonly context?: string;
  readonly timer: MachineTimer;
}

/** The context that client-node makes up, with `http://localhost:8080`, where it finds no configuration. */
const UNCONFIGURED_CONTEXT = 'loaded-context';
const REMEDY = 'name a kubeconfig by the setting kubernetes.kubeconfig or by KUBECONFIG, or run in a pod of the cluster';

/** A resolved kubeconfig. */
export interface ResolvedKubeConfig extends KubeConnection {
  /** Name of the context; empty in a pod. */
  readonly context: string;
  /** Namespace of the context, else of the pod; null: none. */
  readonly namespace: string | null;
}

/**
 * Resolves the configuration. @throws Error where there is no usable one. client-node is imported lazily: it costs half a second and 90 MB,
 * which a process with an embedded cluster does not need.
 */
export async function resolveKubeConfig(options: KubeConfigOptions): Promise<ResolvedKubeConfig> {
  const config = await loadKubeConfig(options.path);
  if (options.context !== undefined) {
    if (config.getContextObject(options.context) === null) {
      const known = config.getContexts().map((context) => context.name);
      throw new ConfigurationError(`kubeconfig has no context "${options.context}": it has ${known.join(', ') || 'none'}`);
    }
    config.setCurrentContext(options.context);
  }
  const cluster = config.getCurrentCluster();
  if (config.getCurrentContext() === UNCONFIGURED_CONTEXT)
    throw new ConfigurationError(`no kubeconfig was found, and this is no pod; ${REMEDY}`);
  if (cluster === null) {
    throw new ConfigurationError(`kubeconfig context "${config.getCurrentContext()}" has no cluster; ${REMEDY}`);
  }

  const user = config.getCurrentUser();
  const tokenFile = user === null ? null : tokenFileOf(user, options.path);
  const token = tokenFile === null ? null : new TokenFile(tokenFile);
  const credentials = new Credentials((into) => config.applyToHTTPSOptions(into), token, options.timer);
  const first = await credentials.options();
  const context = config.getCurrentContext();
  return {
    server: cluster.server.replace(/\/+$/, ''),
    context: context === IN_CLUSTER_CONTEXT ? '' : context,
    namespace: config.getContextObject(context)?.namespace ?? namespaceOfPod(),
    tls: {
      ...given('ca', first.ca),
      ...given('cert', first.cert),
      ...given('key', first.key),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      verify: !cluster.skipTLSVerify,
    },
    headers: (ask) => credentials.headers(ask?.fresh ?? false),
  };
}

async function loadKubeConfig(path: string | undefined): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (path === undefined) config.loadFromDefault();
    else config.loadFromFile(path);
  } catch (err) {
    const file = path ?? process.env['KUBECONFIG'] ?? 'the default file';
    const why = err instanceof Error ? err.message : String(err);
    throw new ConfigurationError(`kubeconfig ${file} cannot be read: ${why}; ${REMEDY}`);
  }
  return config;
}

/** Caches credentials from client-node, which reads files and may run an exec plugin each time. */
class Credentials {
  readonly #apply: (into: RequestOptions) => Promise<void>;
  readonly #token: TokenFile | null;
  readonly #timer: MachineTimer;
  #cached: { readonly atMs: number; readonly headers: Promise<Readonly<Record<string, string>>> } | undefined;

  constructor(apply: (into: RequestOptions) => Promise<void>, token: TokenFile | null, timer: MachineTimer) {
    this.#apply = apply;
    this.#token = token;
    this.#timer = timer;
  }

  async options(): Promise<RequestOptions> {
    const into: RequestOptions = { headers: {} };
    await this.#apply(into);
    return into;
  }

  headers(fresh: boolean): Promise<Readonly<Record<string, string>>> {
    const now = this.#timer.nowMs();
    if (fresh || this.#cached === undefined || now - this.#cached.atMs > CREDENTIALS_CACHED_MS) {
      const headers = this.#read();
      this.#cached = { atMs: now, headers };
      // A failure is not cached: the next request tries again.
      headers.catch(() => {
        if (this.#cached?.headers === headers) this.#cached = undefined;
      });
    }
    return this.#cached.headers;
  }

  async #read(): Promise<Readonly<Record<string, string>>> {
    // client-node reads a token file once a minute, or only once: too late after a 401.
    if (this.#token !== null) return { authorization: `Bearer ${this.#token.read()}` };
    const options = await this.options();
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (typeof value === 'string') headers[name.toLowerCase()] = value;
    }
    if (typeof options.auth === 'string') headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    return headers;
  }
}

function given<K extends string>(key: K, value: unknown): Partial<Record<K, string | Buffer>> {
  return typeof value === 'string' || Buffer.isBuffer(value) ? ({ [key]: value } as Partial<Record<K, string | Buffer>>) : {};
}

function namespaceOfPod(): string | null {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim() || null;
  } catch {
    return null; // not running in a pod
  }
}
