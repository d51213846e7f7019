// Configuration of a reflector: its kind, its dependencies and its intervals.

import type { DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Activity, Clock, MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import type { Random } from '../../../ports/random.ts';
import type { ChangeHandler } from './reflector-store.ts';
import type { ApiResource } from '../resources.ts';
import type { Decoded, Wire } from '../wire.ts';

/** Capabilities of an API server, shared by its reflectors, so that only one probes them. */
interface ServerCapabilities {
  /** null: not probed yet. */
  streamingLists: boolean | null;
}

/** Intervals of the loop in machine time; tests shorten them. */
export interface ReflectorTimes {
  /** Range of the watch timeout that the server applies. It is random, so that watches do not reconnect together. */
  readonly watchSeconds: readonly [from: number, to: number];
  /** Time after the server's timeout of a watch, after which the connection counts as dead. */
  readonly graceMs: DurationMs;
  /**
   * Maximum silence of an open watch: the server sends a bookmark each minute. Only this detects a load balancer that answers keep-alive
   * probes for a dead server.
   */
  readonly quietMs: DurationMs;
  /** Maximum silence within an initial streaming list. */
  readonly initialSilenceMs: DurationMs;
  /** Interval of comparing the whole kind with a fresh listing; jittered. */
  readonly auditEveryMs: DurationMs;
  /** Retry interval of another tool's kind that is not served. */
  readonly foreignRetryMs: DurationMs;
}

export const REFLECTOR_TIMES: ReflectorTimes = {
  watchSeconds: [300, 600],
  graceMs: 15_000,
  quietMs: 150_000,
  initialSilenceMs: 30_000,
  auditEveryMs: 6 * 3600 * 1000,
  foreignRetryMs: 60_000,
};

/** Dependencies shared by all reflectors of a process. */
export interface ReflectorContext {
  readonly transport: ApiTransport;
  readonly clock: Clock;
  readonly timer: MachineTimer;
  readonly activity: Activity;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly capabilities: ServerCapabilities;
  readonly times?: ReflectorTimes;
}

export interface ReflectorSpec<T> {
  readonly resource: ApiResource;
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Decisions need this kind: `synced` waits for it, and a refusal is logged as an error instead of a warning. */
  readonly required: boolean;
  /** The kind contains user requests: once listed, an outdated state of it is not acted on. */
  readonly holdsUserRequests?: boolean;
  /** A kind of another tool, which most clusters do not have: not being served is no problem, and is retried slowly. */
  readonly foreign?: boolean;
  readonly decode: (wire: Wire) => Decoded<T>;
  /** Must be synchronous and fast. An error is logged and counted, and the next change is handled. */
  readonly onChange: ChangeHandler<T>;
}
