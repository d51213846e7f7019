// Parses history.url: the PostgreSQL server, user, and TLS mode.

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { isLoopbackHost } from '../../runtime/loopback.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Absent: libpq's default (PGUSER, then the process's user). */
  readonly user?: string;
  /** Absent: libpq's default (PGPASSWORD, the password file). */
  readonly password?: string;
  /**
   * Without sslmode, certificates are verified in full, and loopback connections use no TLS: a password must not go to an unverified
   * server.
   */
  readonly ssl: ConnectionOptions | false;
  /** For display: the URL without the password. */
  readonly shown: string;
}

export interface PostgresAddressOptions {
  readonly url: string;
  /** From the environment; overrides the password of the URL. Empty: none. */
  readonly password: string;
  /** Path of PEM certificates of trusted authorities. Empty: those of Node.js. */
  readonly caFile: string;
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/** Parses history.url. @throws Error with the problem and the remedy; no message contains the password */
export function readPostgresAddress({ url, password, caFile }: PostgresAddressOptions): PostgresAddress {
  if (!URL.canParse(url)) throw new Error('history.url is not a URL: write postgres://USER@HOST:5432/DATABASE?sslmode=verify-full');
  const parsed = new URL(url);
  const host = parsed.searchParams.get('host') ?? parsed.hostname.replace(/^\[|\]$/g, '');
  if (host === '') throw new Error('history.url names no host: write postgres://USER@HOST:5432/DATABASE');
  const database = decoded(parsed.pathname.slice(1));
  if (database === '') throw new Error('history.url names no database: write postgres://USER@HOST:5432/DATABASE');
  const unknown = [...parsed.searchParams.keys()].filter((name) => name !== 'sslmode' && name !== 'host');
  if (unknown.length > 0) throw new Error(`history.url: ${unknown.join(', ')}: only sslmode and host are understood after the "?"`);
  const secret = password === '' ? decoded(parsed.password) : password;
  const user = decoded(parsed.username);
  const port = parsed.port === '' ? 5432 : Number(parsed.port);
  return {
    host,
    port,
    database,
    ...(user === '' ? {} : { user }),
    ...(secret === '' ? {} : { password: secret }),
    ssl: sslOf(parsed.searchParams.get('sslmode') ?? (isLocalServer(host) ? 'disable' : 'verify-full'), caFile),
    shown: `postgres://${user === '' ? '' : `${user}@`}${host.includes(':') ? `[${host}]` : host}:${port}/${database}`,
  };
}

/** Whether `host` is a loopback address or the folder of a Unix socket. */
export function isLocalServer(host: string): boolean {
  return host.startsWith('/') || isLoopbackHost(host);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('history.url holds a "%" that is no escape: write %25 for it, or set the password in EVENKEEL_HISTORY_PASSWORD');
  }
}

function sslOf(mode: string, caFile: string): ConnectionOptions | false {
  const ca = caFile === '' ? {} : { ca: readCertificates(caFile) };
  switch (mode) {
    case 'disable':
      return false;
    case 'require':
      // Like libpq: encrypted without verification, unless history.caFile is set.
      return caFile === '' ? { rejectUnauthorized: false } : { ...ca, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ...ca, checkServerIdentity: () => undefined };
    case 'verify-full':
      return ca;
    default:
      throw new Error(`history.url: sslmode=${mode}: must be one of ${SSL_MODES.join(', ')}`);
  }
}

function readCertificates(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`history.caFile ${path} cannot be read: set it to a file of PEM certificates, or leave it empty`, { cause });
  }
}
