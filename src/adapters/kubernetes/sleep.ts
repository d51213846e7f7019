import type { DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';

/** Waits in machine time. Rejects with the signal's reason when it aborts first. */
export function sleep(timer: MachineTimer, ms: DurationMs, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal));
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(reasonOf(signal));
    };
    const cancel = timer.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A function call, because TypeScript narrows `signal.aborted` across an await. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Abort reason as an Error, for any value that was passed to `abort()`. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
