// How far a long run is, on standard error: now and then a line, none where it is over soon.

import { SECOND_MS, type DurationMs } from '#kube/units';

const EVERY_MS = { terminal: 3 * SECOND_MS, file: 30 * SECOND_MS } as const;

export interface ProgressDependencies {
  readonly total: number;
  readonly print: (line: string) => void;
  readonly isTerminal: boolean;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/** Called after each recording. */
export function progress({ total, print, isTerminal, now }: ProgressDependencies): (done: number) => void {
  const every: DurationMs = isTerminal ? EVERY_MS.terminal : EVERY_MS.file;
  const started = now();
  let last = started;
  return (done) => {
    const at = now();
    if (at - last < every || done === total) return;
    last = at;
    const left = ((at - started) / done) * (total - done);
    print(`${done} of ${total} recordings replayed, about ${Math.ceil(left / SECOND_MS)} s left`);
  };
}
