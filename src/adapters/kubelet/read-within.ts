import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';

/** Calls `read` with a signal that aborts at the deadline (machine time) and with the caller's signal. */
export async function readWithin<T>(
  timer: MachineTimer,
  deadlineMs: DurationMs,
  read: (stop: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancel = timer.setTimer(deadlineMs, () => stop.abort(new Error(`no answer within ${deadlineMs} ms`)));
  try {
    return await read(stop.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
