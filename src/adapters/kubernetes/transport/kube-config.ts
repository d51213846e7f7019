// Kubeconfigs, resolved by client-node (files, exec plugins), and ServiceAccounts of pods, whose tokens are rotated on disk.

import type { RequestOptions } from 'node:https';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ConnectionSource, CredentialSource, KubeConnection } from './connection.ts';
import { CredentialCache } from './credential-cache.ts';
import { findPodNamespace, findServiceAccount, type MountedServiceAccount } from './service-account.ts';
import { readTokenFile, tokenFileOf } from './token-file.ts';
import { ConfigurationError } from '../../../ports/configuration-error.ts';

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
  /** The same connection, for another thread. */
  readonly source: ConnectionSource;
}

/**
 * Resolves the configuration. @throws Error where there is no usable one. client-node is imported lazily: it costs half a second and 90 MB,
 * which neither a pod with a ServiceAccount nor a process with an embedded cluster needs.
 */
export async function resolveKubeConfig(options: KubeConfigOptions): Promise<ResolvedKubeConfig> {
  const account = options.path === undefined && options.context === undefined ? findServiceAccount() : null;
  return account === null ? await resolveByClientNode(options) : connectionOf(account, options.timer);
}

/** The connection of a pod. */
export function connectionOf({ tokenFile, ...connection }: MountedServiceAccount, timer: MachineTimer): ResolvedKubeConfig {
  const credentials = new CredentialCache(readTokenFile(tokenFile), timer);
  return {
    ...connection,
    context: '',
    namespace: findPodNamespace(),
    headers: (ask) => credentials.headers(ask?.fresh ?? false),
    source: { ...connection, credentials: { type: 'token-file', path: tokenFile } },
  };
}

async function resolveByClientNode(options: KubeConfigOptions): Promise<ResolvedKubeConfig> {
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
  const context = config.getCurrentContext();
  const first = await optionsOf(config);
  // client-node reads a token file once a minute, or only once: too late after a 401.
  const readHeaders = tokenFile === null ? async () => headersOf(await optionsOf(config)) : readTokenFile(tokenFile);
  const credentials = new CredentialCache(readHeaders, options.timer);
  const connection: Pick<KubeConnection, 'server' | 'tls'> = {
    server: cluster.server.replace(/\/+$/, ''),
    tls: {
      ...given('ca', first.ca),
      ...given('cert', first.cert),
      ...given('key', first.key),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
      verify: !cluster.skipTLSVerify,
    },
  };
  return {
    ...connection,
    context: context === IN_CLUSTER_CONTEXT ? '' : context,
    namespace: config.getContextObject(context)?.namespace ?? findPodNamespace(),
    headers: (ask) => credentials.headers(ask?.fresh ?? false),
    source: { ...connection, credentials: credentialSourceOf() },
  };

  function credentialSourceOf(): CredentialSource {
    if (tokenFile !== null) return { type: 'token-file', path: tokenFile };
    if (user?.exec === undefined && user?.authProvider === undefined) return { type: 'fixed', headers: headersOf(first) };
    return { type: 'kubeconfig', context, ...(options.path === undefined ? {} : { path: options.path }) };
  }
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

/** Reads files and may run an exec plugin. */
async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return options;
}

function headersOf(options: RequestOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  if (typeof options.auth === 'string') headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

function given<K extends string>(key: K, value: unknown): Partial<Record<K, string | Buffer>> {
  return typeof value === 'string' || Buffer.isBuffer(value) ? ({ [key]: value } as Partial<Record<K, string | Buffer>>) : {};
}
