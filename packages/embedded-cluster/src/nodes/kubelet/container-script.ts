import { SECOND_MS, type DurationMs } from '#kube/units';

/** How a container's command line ends. */
export interface ContainerScript {
  readonly runMs: DurationMs;
  readonly exitCode: number;
}

/**
 * Parses common test commands: `sleep 30`, `true`, `false`, `exit 3`, also inside `sh -c`. null for any other: the container runs until it
 * is stopped, or for the run time of a Job.
 */
export function readScript(command: readonly string[]): ContainerScript | null {
  const words = command.join(' ').replace(/^(?:\/bin\/)?(?:ba)?sh -e?c /, '');
  let runMs: DurationMs | null = null;
  let exitCode = 0;
  for (const step of words.split(/;|&&/)) {
    const sleep = /^\s*sleep (\d+(?:\.\d+)?)\s*$/.exec(step);
    const exit = /^\s*exit (\d+)\s*$/.exec(step);
    if (sleep !== null) runMs = (runMs ?? 0) + Number(sleep[1]) * SECOND_MS;
    else if (exit !== null) exitCode = Number(exit[1]);
    else if (/^\s*false\s*$/.test(step)) exitCode = 1;
    else if (!/^\s*(true|echo .*|date)\s*$/.test(step)) return null;
    runMs ??= 0;
  }
  return { runMs: Math.max(runMs ?? 0, SECOND_MS), exitCode };
}
