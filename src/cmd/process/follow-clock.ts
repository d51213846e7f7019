import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { SystemClock } from '../../runtime/system-clock.ts';
import { type ClockReading, ScaledClock } from '#embedded-cluster/clock/scaled-clock';

/** Interval at which the virtual clock is read; the clocks of two processes drift little in this time. */
const READ_INTERVAL_MS: DurationMs = 5 * SECOND_MS;

export interface FollowedClock {
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  stop(): void;
}

/** The clock of the cluster: an embedded cluster has a virtual clock, which may run faster; a real cluster uses the wall clock. */
export async function followClock(
  transport: ApiTransport,
  timer: MachineTimer,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<FollowedClock> {
  const version = await transport.request({ method: 'GET', path: '/version', ...(signal === undefined ? {} : { signal }) });
  const { gitVersion } = (version.body ?? {}) as { gitVersion?: unknown };
  if (typeof gitVersion !== 'string' || !gitVersion.endsWith('+evenkeel')) {
    return { clock: new SystemClock(), isEmbedded: false, stop: () => undefined };
  }
  const first = await readClock(transport);
  const clock = new ScaledClock(timer, first);
  logger.info('Following the virtual clock of an embedded cluster', { speed: first.speed, now: new Date(first.now).toISOString() });
  let stopped = false;
  let cancel: () => void = () => undefined;
  const follow = (): void => {
    readClock(transport)
      .then((reading) => clock.follow(reading))
      .catch((err: unknown) => logger.warn('Reading the virtual clock failed; continuing at the last known speed', { err }))
      .finally(() => {
        if (!stopped) cancel = timer.setTimer(READ_INTERVAL_MS, follow);
      });
  };
  cancel = timer.setTimer(READ_INTERVAL_MS, follow);
  return {
    clock,
    isEmbedded: true,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

async function readClock(transport: ApiTransport): Promise<ClockReading> {
  const { status, body } = await transport.request({ method: 'GET', path: '/evenkeel/clock' });
  const reading = body as Partial<ClockReading> | null;
  if (status !== 200 || typeof reading?.now !== 'number' || reading.speed === undefined)
    throw new Error(`/evenkeel/clock answered HTTP ${status}`);
  return { now: reading.now, speed: reading.speed };
}
