// Finds credentials that are sent over the network without encryption.

import { isLocalServer, readPostgresAddress } from '../../../adapters/history/postgres-address.ts';
import type { Instant } from '#kube/units';
import type { HealthSource } from '../../../queries/sources.ts';
import { isLoopbackHost } from '../../../runtime/loopback.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';
import { isStoreFile } from '../history/open-history.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

/** Names of headers that usually contain a credential. */
const CREDENTIAL_HEADER = /^[^:]*(auth|token|key|secret|cookie|password)[^:]*:/i;

type CredentialSettings = Pick<
  Settings,
  'prometheus.url' | 'prometheus.tokenFile' | 'prometheus.headers' | 'history.url' | 'history.password'
>;

/** One message with its remedy for each setting whose credential is sent without encryption to another machine. */
export function plaintextCredentials(settings: CredentialSettings, apiServer: ControllerEnvironment['apiServer']): readonly string[] {
  return [ofApiServer(apiServer), ofPrometheus(settings), ofHistory(settings)].filter((warning) => warning !== null);
}

/** Empty where no credential is sent without encryption. */
export function credentialsHealth(warnings: readonly string[], since: Instant): readonly HealthSource[] {
  if (warnings.length === 0) return [];
  return [{ name: 'credentials', status: () => ({ status: 'degraded', message: warnings.join('; '), since, latencyMs: null }) }];
}

function ofApiServer(apiServer: ControllerEnvironment['apiServer']): string | null {
  if (apiServer === undefined || !apiServer.sendsCredentials || !isPlain(apiServer.url)) return null;
  return `the credential of the API server ${apiServer.url} is sent without encryption: write https:// as its server in kubernetes.kubeconfig`;
}

function ofPrometheus(settings: CredentialSettings): string | null {
  const url = settings['prometheus.url'];
  if (!isPlain(url)) return null;
  const { username } = new URL(url);
  const from = [
    ...(settings['prometheus.tokenFile'] === '' ? [] : ['prometheus.tokenFile']),
    ...(settings['prometheus.headers'].some((header) => CREDENTIAL_HEADER.test(header)) ? ['prometheus.headers'] : []),
    ...(username === '' ? [] : ['its user and password']),
  ];
  if (from.length === 0) return null;
  return `prometheus.url begins with http://, and the credential of ${from.join(', ')} is sent without encryption: write https:// (prometheus.caFile sets the CA of its certificate)`;
}

function ofHistory(settings: CredentialSettings): string | null {
  const url = settings['history.url'];
  if (isStoreFile(url)) return null;
  const { host, password, ssl } = readPostgresAddress({ url, password: settings['history.password'], caFile: '' });
  if (ssl !== false || password === undefined || isLocalServer(host)) return null;
  return `history.url has sslmode=disable, and its password is sent without encryption: write sslmode=verify-full (history.caFile sets the CA of its certificate)`;
}

function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopbackHost(hostname);
}
