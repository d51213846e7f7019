// An embedded cluster for the real kubectl, served on loopback from this process, with Evenkeel's CRDs and the demo's workloads.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, jest, test } from '@jest/globals';
import { applyManifests } from '../../src/demo/apply-manifests.ts';
import { readManifests } from '../../src/cli/read-manifests.ts';
import { serveCluster, type ServedCluster } from '#embedded-cluster/serve-cluster';
import { HOUR_MS } from '#kube/units';
import { SeededRandom } from '../../src/runtime/random.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';

/** Root of the checkout, with crds/ and config/. */
export const ROOT = join(import.meta.dirname, '..', '..');

/** Virtual seconds per second: pods start in a fraction of a second, and Events of the last minutes are not expired yet. */
const SPEED = 60;
/** Timeout of a command that hangs. */
const COMMAND_TIMEOUT_MS = HANG_MS;
/** Timeout of kubectl's `wait`, below the command's timeout, so that kubectl reports the last state. */
const WAIT_SECONDS = HANG_MS / 2_000;

/** Minor version of the installed kubectl; null when it is not installed. */
const KUBECTL_MINOR = minorOfKubectl();

function minorOfKubectl(): number | null {
  try {
    const output = execFileSync('kubectl', ['version', '--client', '-o', 'json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { clientVersion } = JSON.parse(output) as { clientVersion: { minor: string } };
    return Number.parseInt(clientVersion.minor, 10);
  } catch {
    return null;
  }
}

/** `describe` where kubectl is installed; elsewhere the suite is skipped with the reason in its name. */
export function describeKubectl(name: string, suite: () => void): void {
  if (KUBECTL_MINOR !== null) {
    jest.setTimeout(HANG_TEST_MS);
    describe(name, suite);
    return;
  }
  // Jest prints no names when all tests of a file are skipped.
  process.stderr.write(`${name}: skipped, because kubectl is not installed\n`);
  describe.skip(`${name} (skipped: kubectl is not installed)`, suite);
}

/** `test` for features of kubectl since a minor version; with an older kubectl it is skipped with the reason in its name. */
export function testFromMinor(minor: number, name: string, run: () => Promise<void>): void {
  if (KUBECTL_MINOR !== null && KUBECTL_MINOR < minor) test.skip(`${name} (skipped: needs kubectl 1.${minor})`, run);
  else test(name, run);
}

export interface CommandOptions {
  /** Sent to standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that does not end by itself (`get -w`, `logs -f`). */
export interface Followed {
  /** Resolves with the first line, past or future, that matches. Rejects when the command ends without one. */
  line(pattern: RegExp): Promise<string>;
  stop(): void;
}

/** The cluster, and kubectl with a kubeconfig for it. */
export class KubectlCluster {
  readonly cluster: EmbeddedCluster;
  /** Folder of the kubeconfig, of kubectl's caches and temporary files, and of the files of a test. */
  readonly folder: string;
  readonly #served: ServedCluster;
  readonly #logger: RecordingLogger;
  readonly #followed = new Set<Followed>();

  private constructor(cluster: EmbeddedCluster, folder: string, served: ServedCluster, logger: RecordingLogger) {
    this.cluster = cluster;
    this.folder = folder;
    this.#served = served;
    this.#logger = logger;
  }

  /** Starts a cluster that has run for an hour, so that usage exists; its clock runs. */
  static async start(): Promise<KubectlCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-kubectl-'));
    await mkdir(join(folder, 'tmp'));
    const logger = new RecordingLogger();
    const cluster = new EmbeddedCluster({
      startAt: Date.UTC(2026, 0, 5),
      seed: 1,
      random: (seed) => new SeededRandom(seed),
      speed: SPEED,
      nodes: { count: 6, machineTypes: ['e2-standard-4', 'n2-standard-4'] },
      timer: new SystemTimer(),
      logger,
    });
    const manifests = [
      ...(await readManifests(join(ROOT, 'crds'))),
      ...(await readManifests(join(ROOT, 'config', 'demo', 'workloads.yaml'))),
    ];
    const { refused } = await applyManifests(cluster.transport('setup'), manifests, 'setup');
    if (refused.length > 0) throw new Error(`the embedded cluster refused its manifests: ${refused.join('; ')}`);
    await cluster.live(HOUR_MS);
    const served = await serveCluster(cluster, { port: 0, kubeconfig: join(folder, 'kubeconfig'), logger });
    cluster.clock.start();
    return new KubectlCluster(cluster, folder, served, logger);
  }

  /** Throws when a component of the cluster failed, whatever kubectl reported. */
  async close(): Promise<void> {
    for (const followed of this.#followed) followed.stop();
    await this.#served.close();
    this.cluster.close();
    await rm(this.folder, { recursive: true, force: true });
    const faults = this.#logger.lines.filter(({ level }) => level === 'error');
    if (faults.length > 0) throw new Error(`the embedded cluster reported faults: ${JSON.stringify(faults)}`);
  }

  /** Standard output of the command. Rejects with its standard error when it fails. */
  async kubectl(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return (await this.#succeeded(args, options)).stdout;
  }

  /** Standard error of the command, which holds warnings. Rejects when it fails. */
  async warnings(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return (await this.#succeeded(args, options)).stderr;
  }

  /** Standard error of a command that fails. Rejects when it succeeds. */
  async refused(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#run(args, options);
    if (code === 0) throw new Error(`kubectl ${args.join(' ')}: succeeded\n${stdout}`);
    return stdout + stderr;
  }

  /** `kubectl get … -o jsonpath=…` */
  value(path: string, ...what: readonly string[]): Promise<string> {
    return this.kubectl(['get', ...what, '-o', `jsonpath=${path}`]);
  }

  /** Starts a command that runs until it is stopped; both of its streams are read. */
  follow(args: readonly string[]): Followed {
    const child = spawn('kubectl', args, { env: this.#env(), stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: string[] = [];
    const waiting = new Set<() => void>();
    let ended = false;
    const news = (): void => {
      for (const look of [...waiting]) look();
    };
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        news();
      });
    }
    child.on('close', () => {
      ended = true;
      news();
    });
    const followed: Followed = {
      line: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = lines.find((line) => pattern.test(line));
            if (found === undefined && !ended) return;
            waiting.delete(look);
            if (found === undefined) reject(new Error(`kubectl ${args.join(' ')}: ended without ${String(pattern)}:\n${lines.join('\n')}`));
            else resolve(found);
          };
          waiting.add(look);
          look();
        }),
      stop: () => {
        this.#followed.delete(followed);
        child.kill();
      },
    };
    this.#followed.add(followed);
    return followed;
  }

  async #succeeded(args: readonly string[], options: CommandOptions): Promise<Finished> {
    const finished = await this.#run(args, options);
    if (finished.code === 0) return finished;
    throw new Error(`kubectl ${args.join(' ')}: exit code ${finished.code}\n${finished.stderr}${finished.stdout}`);
  }

  #run(args: readonly string[], { input = '', env = {} }: CommandOptions): Promise<Finished> {
    return new Promise((resolve, reject) => {
      const options = { env: { ...this.#env(), ...env }, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile('kubectl', patient(args), options, (error, stdout, stderr) => {
        if (error === null) resolve({ code: 0, stdout, stderr });
        else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
        else reject(new Error(`kubectl ${args.join(' ')}: did not exit before its timeout\n${stderr}${stdout}`, { cause: error }));
      });
      // A command that fails early closes its input before all of it is written.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }

  #env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.folder,
      TMPDIR: join(this.folder, 'tmp'),
      KUBECONFIG: this.#served.kubeconfig,
      KUBECACHEDIR: join(this.folder, 'cache'),
    };
  }
}

/** `wait` has a default timeout of 30 s, which a busy machine may need to start a pod. */
function patient(args: readonly string[]): readonly string[] {
  const waits = args[0] === 'wait' || args[0] === 'drain' || (args[0] === 'rollout' && args[1] === 'status');
  return waits && !args.some((arg) => arg.startsWith('--timeout')) ? [...args, `--timeout=${WAIT_SECONDS}s`] : args;
}
