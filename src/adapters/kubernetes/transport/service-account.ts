// The connection of a pod by its ServiceAccount, as kubelets mount it.

import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { KubeConnection } from './connection.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Ports of API servers without TLS, which client-node resolves. */
const INSECURE_PORTS: ReadonlySet<string> = new Set(['80', '8080', '8001']);

/** A mounted ServiceAccount, and the API server that the kubelet announces. */
export interface MountedServiceAccount extends Pick<KubeConnection, 'server' | 'tls'> {
  readonly tokenFile: string;
}

/** Where this process runs; tests provide their own. */
export interface PodEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly mount: string;
}

/** Returns the ServiceAccount of this pod; null: a kubeconfig takes precedence, or this is no pod with a ServiceAccount and TLS. */
export function findServiceAccount(
  { variables, home, mount }: PodEnvironment = { variables: process.env, home: homedir(), mount: MOUNT },
): MountedServiceAccount | null {
  const { KUBECONFIG: kubeconfig = '', KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = variables;
  if (kubeconfig !== '' || existsSync(join(home, '.kube', 'config'))) return null;
  if (host === '' || port === '' || INSECURE_PORTS.has(port)) return null;
  const [tokenFile, caFile] = [join(mount, 'token'), join(mount, 'ca.crt')];
  if (!existsSync(tokenFile) || !existsSync(caFile)) return null;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return { server, tls: { ca: readFileSync(caFile), verify: true }, tokenFile };
}

/** Namespace of this pod; null: this is no pod. */
export function findPodNamespace(mount = MOUNT): string | null {
  try {
    return readFileSync(join(mount, 'namespace'), 'utf8').trim() || null;
  } catch {
    return null; // not running in a pod
  }
}
