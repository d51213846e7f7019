// Configuration of a reflector: its kind, the process's parts that it uses, and its intervals.

import type { DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Activity, Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { ChangeHandler } from './reflector-store.ts';
import type { ApiResource } from './resources.ts';
import type { Decoded, Wire } from './wire.ts';

/** Shared by the reflectors of one API server: what one finds out, none tries again. */
interface ServerCapabilities {
  /** null until a reflector has tried. */
  streamingLists: boolean | null;
}

/** Machine time of the loop; tests shorten it. */
export interface ReflectorTimes {
  /** The server ends a watch after a random time in this range, so that watches do not all come back at once. */
  readonly watchSeconds: readonly [from: number, to: number];
  /** Past the server's own end of a watch, silence means that the connection is dead. */
  readonly graceMs: DurationMs;
  /**
   * Longest silence of an open watch: the server sends a bookmark each minute. A balancer that still answers keep-alive
   * probes for a server that is gone is found by this alone.
   */
  readonly quietMs: DurationMs;
  /** Longest silence inside an initial streaming list. */
  readonly initialSilenceMs: DurationMs;
  /** How often the whole kind is compared with a fresh listing; jittered. */
  readonly auditEveryMs: DurationMs;
  /** How often a kind of another tool that is not served is asked for again. */
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

/** What every reflector of a process shares. */
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
  /** Without it nothing can be decided: `synced` waits for it, and a refusal is an error instead of a warning. */
  readonly required: boolean;
  /** It holds what people wish: once known, an old state of it is not acted on either. */
  readonly holdsUserRequests?: boolean;
  /** Of another tool, which most clusters do not have: that it is not served is nothing wrong, and asked again at leisure. */
  readonly foreign?: boolean;
  readonly decode: (wire: Wire) => Decoded<T>;
  /** Synchronous and cheap. What it throws is logged and counted, and the next change goes on. */
  readonly onChange: ChangeHandler<T>;
}
