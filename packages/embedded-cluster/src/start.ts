// An embedded cluster for tests of any project: everything that `EmbeddedCluster` needs has a default.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { inspect } from 'node:util';
import type { ApiTransport } from '#kube/api-transport';
import type { DurationMs, Instant } from '#kube/units';
import type { ClockSpeed } from './clock/virtual-clock.ts';
import { seededRandom } from './clock/seeded-hash.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';
import type { MachineTimer } from './ports/clock.ts';
import type { LogFields, Logger } from './ports/logger.ts';
import { serveCluster } from './serve-cluster.ts';

/** A Monday. A fixed calendar: the same seed gives the same cluster. */
const STARTS_AT: Instant = Date.UTC(2026, 0, 5);

export interface StartOptions {
  /** Number of nodes; 3 where left out. */
  readonly nodes?: number;
  /** Of the nodes in turn; `e2-standard-4` where left out. */
  readonly machineTypes?: readonly string[];
  /** Of all randomness; 1 where left out. */
  readonly seed?: number;
  /** When the cluster begins, in its own time, as milliseconds since the epoch; 5 January 2026 where left out. */
  readonly startAt?: Instant;
  /** Virtual seconds per second while the clock runs; 60 where left out. */
  readonly speed?: ClockSpeed;
  /** Port of the API server on 127.0.0.1; a free one where left out. */
  readonly port?: number;
  /** Warnings and errors go to standard error where left out. */
  readonly logger?: Logger;
}

export interface StartedCluster {
  /** The cluster itself: its clock, nodes and API server. */
  readonly cluster: EmbeddedCluster;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** Path of a kubeconfig with an administrator's token. */
  readonly kubeconfig: string;
  /** An administrator's requests in process, without HTTP. @param userAgent names the field manager of writes */
  transport(userAgent: string): ApiTransport;
  /** Lets so much virtual time pass as fast as possible, then stops the clock. */
  live(durationMs: DurationMs): Promise<void>;
  /** Ends every server and timer, and removes the kubeconfig. */
  close(): Promise<void>;
}

/**
 * Starts a cluster that answers over HTTPS on loopback. Its clock does not run until `live` or `cluster.clock.start()`.
 *
 * @public the entry of the package
 */
export async function startEmbeddedCluster(options: StartOptions = {}): Promise<StartedCluster> {
  const { nodes = 3, machineTypes = ['e2-standard-4'], seed = 1, startAt = STARTS_AT, speed = 60, port = 0 } = options;
  const logger = options.logger ?? STDERR_LOGGER;
  const cluster = new EmbeddedCluster({
    startAt,
    seed,
    random: seededRandom,
    speed,
    nodes: { count: nodes, machineTypes },
    timer: MACHINE_TIMER,
    logger,
  });
  const folder = await mkdtemp(join(tmpdir(), 'embedded-cluster-'));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const served = await serveCluster(cluster, { port, kubeconfig: join(folder, 'kubeconfig'), logger });
    return {
      cluster,
      url: served.url,
      kubeconfig: served.kubeconfig,
      transport: (userAgent) => cluster.transport(userAgent),
      live: (durationMs) => cluster.live(durationMs),
      close: async () => {
        cluster.close();
        await served.close();
        await removeFolder();
      },
    };
  } catch (err) {
    cluster.close();
    await removeFolder();
    throw err;
  }
}

const MACHINE_TIMER: MachineTimer = {
  nowMs: () => performance.now(),
  setTimer: (afterMs, task) => {
    const timer = setTimeout(task, afterMs);
    return () => clearTimeout(timer);
  },
};

const STDERR_LOGGER: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: writeLine,
  error: writeLine,
  child: () => STDERR_LOGGER,
};

function writeLine(message: string, fields: LogFields = {}): void {
  process.stderr.write(`embedded cluster: ${message} ${inspect(fields)}\n`);
}
