// A history store as a controller leaves it after a week: the controller under test starts with it, as after a restart, and decides within
// minutes of real time.

import { DAY_MS, HOUR_MS, MiB, MINUTE_MS, type DurationMs } from '#kube/units';
import type { WorkloadKey } from '#kube/records/workload';
import { JobRunRecommender } from '../../src/controllers/usage/job-run-recommender.ts';
import { aRecommender } from '../fakes/a-recommender.ts';
import type { UsageSeries } from '#kube/records/usage';
import { Recommender } from '../../src/core/recommender/recommender.ts';
import { openSqliteHistory } from '../../src/adapters/history/sqlite-history.ts';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SystemClock, SystemTimer } from '../../src/runtime/system-clock.ts';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { ACCESS_EVENT_OPTIONS } from '../fakes/test-signer.ts';

/** A workload, by default a Deployment, with one container of constant usage. */
export interface KnownWorkload {
  readonly kind?: string;
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly uses: { readonly cpuMillicores: number; readonly memoryBytes: number };
}

const STEP_MS: DurationMs = 5 * MINUTE_MS;

/** Writes `spanMs` of constant usage of the workloads into a history file. */
export async function writeRecordedUsage(path: string, workloads: readonly KnownWorkload[], spanMs: DurationMs): Promise<void> {
  const clock = new SystemClock();
  const history = await openAt(path, clock);
  try {
    const recommender = new Recommender();
    const now = clock.now();
    for (const workload of workloads) recommender.backfill([seriesOf(workload, now - spanMs, now)]);
    const checkpoints = recommender.changedSince(0).flatMap((key) => recommender.checkpointOf(key) ?? []);
    await history.saveCheckpoints(
      checkpoints.map((checkpoint) => ({ ...checkpoint, savedAt: now })),
      0,
    );
  } finally {
    await history.close();
  }
}

function openAt(path: string, clock: SystemClock): ReturnType<typeof openSqliteHistory> {
  return openSqliteHistory({
    path,
    ...ACCESS_EVENT_OPTIONS,
    retentionMs: 30 * DAY_MS,
    maxBytes: 2 ** 30,
    clock,
    machine: new SystemTimer(),
    logger: new RecordingLogger(),
    metrics: NO_METRICS,
  });
}

function seriesOf({ namespace, kind = 'Deployment', name, container, uses }: KnownWorkload, from: number, to: number): UsageSeries {
  const samples = Array.from({ length: Math.floor((to - from) / STEP_MS) }, (_, step) => ({ at: from + step * STEP_MS, ...uses }));
  const workload = { namespace, kind, name };
  return { namespace, pod: `${name}-past`, container, workload, stepSeconds: STEP_MS / 1000, samples, oomKills: [] };
}

/** Writes runs of a Job or CronJob: an hour apart, ten minutes long, with 150m and 150Mi each. */
export async function writeRecordedRuns(path: string, workload: WorkloadKey, container: string, runs: number): Promise<void> {
  const clock = new SystemClock();
  const recommender = new JobRunRecommender(aRecommender());
  for (let run = runs; run >= 1; run -= 1) {
    for (let minute = 0; minute <= 10; minute += 1) {
      const at = clock.now() - run * HOUR_MS + minute * MINUTE_MS;
      recommender.observe(workload, container, `run-${run}`, { at, cpuMillicores: 150, memoryBytes: 150 * MiB });
    }
  }
  const history = await openAt(path, clock);
  try {
    for await (const portion of recommender.changedSince(null)) {
      await history.saveCheckpoints(
        portion.map((checkpoint) => ({ ...checkpoint, savedAt: clock.now() })),
        0,
      );
    }
  } finally {
    await history.close();
  }
}
