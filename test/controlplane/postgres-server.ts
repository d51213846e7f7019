// Debian's PostgreSQL server as a child process of the test, on loopback, with a temporary folder.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually, HANG_MS } from '../eventually.ts';
import { freePorts } from '../e2e/free-ports.ts';
import { knownSecret } from '../fakes/known-secrets.ts';

const DEBIAN = '/usr/lib/postgresql';

const USER = 'evenkeel';
export const PASSWORD = knownSecret('the password of PostgreSQL', 'p@ss/w:rd ü');

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresOptions {
  /** In PEM; the server then accepts TLS. */
  readonly tls?: { readonly key: string; readonly certificate: string };
}

/** A database cluster and its server. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #binaries: string;
  readonly #owner: Owner | null;
  #child: ChildProcess | null = null;
  #log = '';
  // Ends the server also when Jest ends the worker.
  readonly #onExit = (): void => {
    this.#child?.kill('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  };

  private constructor(folder: string, binaries: string, owner: Owner | null, port: number) {
    this.#folder = folder;
    this.#binaries = binaries;
    this.#owner = owner;
    this.port = port;
    process.once('exit', this.#onExit);
  }

  /** Creates a database cluster and starts its server. `stop()` ends it and removes its folder. */
  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const binaries = findBinaries();
    const owner = process.getuid?.() === 0 ? unprivileged() : null;
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-postgres-'));
    const [port = 0] = await freePorts(1);
    const server = new PostgresServer(folder, binaries, owner, port);
    try {
      server.#initialise(options);
      await server.up();
      await server.query(`create database history`, 'postgres');
    } catch (err) {
      await server.stop();
      throw err;
    }
    return server;
  }

  /** URL for `history.url`, without the password. */
  get url(): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/history`;
  }

  /** Starts the server after `down`; resolves when it answers. */
  async up(): Promise<void> {
    const settings = { port: this.port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', max_connections: 40 };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#child = spawn(join(this.#binaries, 'postgres'), ['-D', this.#data, ...flags], {
      ...(this.#owner ?? {}),
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.on('data', (text: Buffer) => (this.#log = `${this.#log}${text.toString()}`.slice(-4_000)));
    await eventually('PostgreSQL answers: it was started', HANG_MS, async () => {
      if (this.#child?.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.#log}`);
      await this.query('select 1', 'postgres');
      return true;
    });
  }

  /** Ends the server and keeps its data; `immediate` as in a crash. */
  async down(how: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGCONT');
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    const timer = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
    await ended;
    clearTimeout(timer);
  }

  async stop(): Promise<void> {
    await this.down('immediate');
    process.removeListener('exit', this.#onExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs one statement on a separate connection. */
  async query<Row extends object>(text: string, database = 'history'): Promise<readonly Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: USER, password: PASSWORD, database });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Locks a table of the history against all other connections until the returned function is called. */
  async lock(table: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: USER, password: PASSWORD, database: 'history' });
    await client.connect();
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return () => client.end();
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  #initialise({ tls }: PostgresOptions): void {
    const passwordFile = join(this.#folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    mkdirSync(this.#data, { mode: 0o700 });
    this.#give(this.#folder, this.#data, passwordFile);
    const args = ['-D', this.#data, '-U', USER, '--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const made = spawnSync(join(this.#binaries, 'initdb'), [...args, '--no-sync'], {
      ...(this.#owner ?? {}),
      cwd: this.#folder,
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    if (tls === undefined) return;
    const key = join(this.#data, 'server.key');
    const certificate = join(this.#data, 'server.crt');
    writeFileSync(key, tls.key, { mode: 0o600 });
    writeFileSync(certificate, tls.certificate);
    writeFileSync(join(this.#data, 'postgresql.auto.conf'), 'ssl = on\n');
    this.#give(key, certificate, join(this.#data, 'postgresql.auto.conf'));
  }

  #give(...paths: readonly string[]): void {
    if (this.#owner !== null) for (const path of paths) chownSync(path, this.#owner.uid, this.#owner.gid);
  }
}

/** Folder of the newest installed server. */
function findBinaries(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).filter((name) => existsSync(join(DEBIAN, name, 'bin', 'initdb'))) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  if (newest === undefined) throw new Error(`no PostgreSQL server under ${DEBIAN}: apt-get install postgresql`);
  return join(DEBIAN, newest, 'bin');
}

/** Runs the server unprivileged, because PostgreSQL refuses to run as root: as user `postgres` of its package, else as nobody. */
function unprivileged(): Owner {
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (user === undefined) throw new Error('neither postgres nor nobody is in /etc/passwd: PostgreSQL does not run as root');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}
