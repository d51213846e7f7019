// The virtual clock of an embedded cluster in another process.

import { type ClockReading, ScaledClock } from '#embedded-cluster/clock/scaled-clock';
import type { ApiTransport } from '#kube/api-transport';
import { SECOND_MS, type DurationMs } from '#kube/units';
import { isEmbedded, type OpenClock, openSystemClock } from '../cmd/process/cluster-clock.ts';

/** How often a virtual clock is read again: clocks of two processes drift apart by little in this time. */
const FOLLOW_EVERY_MS: DurationMs = 5 * SECOND_MS;

/** Follows the virtual clock of an embedded cluster; any other cluster has the machine's time. */
export const followClock: OpenClock = async (transport, parts, signal) => {
  if (!(await isEmbedded(transport, signal))) return openSystemClock(transport, parts, signal);
  const { timer, logger } = parts;
  const first = await readClock(transport);
  const clock = new ScaledClock(timer, first);
  logger.info('Following the virtual clock of an embedded cluster', { speed: first.speed, now: new Date(first.now).toISOString() });
  let stopped = false;
  let cancel: () => void = () => undefined;
  const follow = (): void => {
    readClock(transport)
      .then((reading) => clock.follow(reading))
      .catch((err: unknown) => logger.warn('Reading the virtual clock failed; going on at the speed known', { err }))
      .finally(() => {
        if (!stopped) cancel = timer.setTimer(FOLLOW_EVERY_MS, follow);
      });
  };
  cancel = timer.setTimer(FOLLOW_EVERY_MS, follow);
  return {
    clock,
    isEmbedded: true,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
};

async function readClock(transport: ApiTransport): Promise<ClockReading> {
  const { status, body } = await transport.request({ method: 'GET', path: '/evenkeel/clock' });
  const reading = body as Partial<ClockReading> | null;
  if (status !== 200 || typeof reading?.now !== 'number' || reading.speed === undefined)
    throw new Error(`/evenkeel/clock answered HTTP ${status}`);
  return { now: reading.now, speed: reading.speed };
}
