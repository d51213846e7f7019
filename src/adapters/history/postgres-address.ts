// Reads history.url: where the PostgreSQL server is, as whom, and how far the connection is to be trusted.

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { isLoopbackHost } from '../../runtime/loopback.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Left out: as libpq chooses (PGUSER, then the process's own user). */
  readonly user?: string;
  /** Left out: as libpq finds one (PGPASSWORD, the password file). */
  readonly password?: string;
  /** Unless sslmode is written: verified in full, on loopback without TLS. A password must not go to an unverified server. */
  readonly ssl: ConnectionOptions | false;
  /** For people: everything but the password. */
  readonly shown: string;
}

export interface PostgresAddressOptions {
  readonly url: string;
  /** From the environment; wins over one in the URL. Empty: none. */
  readonly password: string;
  /** Certificates that the server's may be signed by. Empty: those that Node.js knows. */
  readonly caFile: string;
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/** Throws with what is wrong and what to write instead; no message holds the password. */
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

/** This machine, by its address or by a socket's folder. */
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
      // As libpq: encrypted without verification, unless certificates are named.
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
