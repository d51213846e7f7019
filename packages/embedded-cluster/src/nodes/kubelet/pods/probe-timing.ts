import { SECOND_MS, type DurationMs } from '#kube/units';

/** Fields of a probe that determine its first success. */
export interface ProbeTiming {
  readonly initialDelayMs: DurationMs;
  readonly periodMs: DurationMs;
  readonly successThreshold: number;
}

/** Reads a probe of a container spec; null when there is none. Defaults are those of the API. */
export function probeTiming(probe: unknown): ProbeTiming | null {
  if (typeof probe !== 'object' || probe === null) return null;
  const { initialDelaySeconds, periodSeconds, successThreshold } = probe as Readonly<Record<string, unknown>>;
  return {
    initialDelayMs: seconds(initialDelaySeconds, 0),
    periodMs: Math.max(SECOND_MS, seconds(periodSeconds, 10)),
    successThreshold: typeof successThreshold === 'number' && successThreshold > 1 ? successThreshold : 1,
  };
}

/** Time after a container's start at which a probe has succeeded often enough, if the process responds from `answersAfterMs` on. */
export function firstSuccessMs(probe: ProbeTiming, answersAfterMs: DurationMs): DurationMs {
  const periods = Math.max(0, Math.ceil((answersAfterMs - probe.initialDelayMs) / probe.periodMs));
  return probe.initialDelayMs + (periods + probe.successThreshold - 1) * probe.periodMs;
}

function seconds(value: unknown, fallback: number): DurationMs {
  return (typeof value === 'number' && value > 0 ? value : fallback) * SECOND_MS;
}
