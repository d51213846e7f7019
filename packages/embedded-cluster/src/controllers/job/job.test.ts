import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aPodTemplate } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import { isActive } from '../pods/pod-state.ts';
import type { Job } from '../wire/workload.ts';
import { readIndexes, writeIndexes } from './indexes.ts';

function aJob(spec: Record<string, unknown> = {}): object {
  const template = aPodTemplate({ name: 'import' });
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'import', namespace: 'shop' },
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      ...spec,
    },
  };
}

function started(spec: Record<string, unknown> = {}): ControllerWorld {
  const world = new ControllerWorld();
  world.create('jobs.batch', aJob(spec));
  world.runKubelets();
  return world;
}

const job = (world: ControllerWorld): Job => world.cluster.get('jobs.batch', 'shop', 'import') as Job;
const conditions = (world: ControllerWorld): string[] =>
  (job(world).status?.conditions ?? []).map(({ type, reason }) => `${type}: ${reason ?? ''}`);
const active = (world: ControllerWorld): string[] =>
  world
    .pods()
    .filter(isActive)
    .map(({ metadata }) => metadata.name);

describe('a Job', () => {
  test('is complete when its pods have succeeded', () => {
    const world = started();
    world.finishPod(active(world)[0]!, 'Succeeded');
    expect(conditions(world)).toEqual(['SuccessCriteriaMet: CompletionsReached', 'Complete: CompletionsReached']);
    expect(job(world).status).toMatchObject({ succeeded: 1, completionTime: '2026-11-02T00:00:00Z' });
    expect(world.eventsAbout('import')).toContain('Completed: Job completed');
  });

  test('runs as many pods at once as its parallelism, and no more than are still needed', () => {
    const world = started({ completions: 5, parallelism: 3 });
    expect(active(world)).toHaveLength(3);
    for (let done = 0; done < 3; done += 1) world.finishPod(active(world)[0]!, 'Succeeded');
    expect(active(world)).toHaveLength(2);
    for (let done = 0; done < 2; done += 1) world.finishPod(active(world)[0]!, 'Succeeded');
    expect(job(world).status?.succeeded).toBe(5);
  });

  test('retries with back-off, and fails after its backoffLimit', () => {
    const world = started({ backoffLimit: 2 });
    const pauses: number[] = [];
    for (let failure = 0; failure < 2; failure += 1) {
      world.finishPod(active(world)[0]!, 'Failed');
      let seconds = 0;
      for (; active(world).length === 0 && seconds < 1000; seconds += 1) world.clock.advance(1000);
      pauses.push(seconds);
    }
    expect(pauses).toEqual([10, 20]);
    world.finishPod(active(world)[0]!, 'Failed');
    expect(conditions(world)).toEqual(['FailureTarget: BackoffLimitExceeded', 'Failed: BackoffLimitExceeded']);
  });

  test('ends when its deadline has passed', () => {
    const world = started({ activeDeadlineSeconds: 60 });
    world.clock.advance(60_000);
    world.converge();
    expect(conditions(world)).toEqual(['FailureTarget: DeadlineExceeded', 'Failed: DeadlineExceeded']);
    expect(world.pods()).toHaveLength(0);
  });

  test('is deleted with its pods after ttlSecondsAfterFinished', () => {
    const world = started({ ttlSecondsAfterFinished: 30 });
    world.finishPod(active(world)[0]!, 'Succeeded');
    world.clock.advance(29_000);
    expect(job(world)).toBeDefined();
    world.clock.advance(2_000);
    expect(job(world)).toBeUndefined();
    expect(world.pods()).toHaveLength(0);
  });

  test('deletes its pods while it is suspended, and counts none of them as failed', () => {
    const world = started();
    world.change('jobs.batch', 'import', (draft) => {
      (draft as Job).spec.suspend = true;
    });
    world.converge();
    expect(world.pods()).toHaveLength(0);
    expect(job(world).status?.failed).toBeUndefined();
    expect(conditions(world)).toEqual(['Suspended: JobSuspended']);
    world.change('jobs.batch', 'import', (draft) => {
      (draft as Job).spec.suspend = false;
    });
    expect(active(world)).toHaveLength(1);
  });

  test('with Indexed runs every index once', () => {
    const world = started({ completions: 3, parallelism: 2, completionMode: 'Indexed' });
    expect(active(world).map((name) => name.slice(0, 8))).toEqual(['import-0', 'import-1']);
    world.finishPod(active(world)[0]!, 'Succeeded');
    expect(active(world).map((name) => name.slice(0, 8))).toEqual(['import-1', 'import-2']);
    for (const name of active(world)) world.finishPod(name, 'Succeeded');
    expect(job(world).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
  });

  test('does not adopt pods of other jobs', () => {
    expect(job(started()).spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': job(started()).metadata.uid } });
  });
});

test('indexes are read as they are written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200)), (indexes) => {
      expect([...readIndexes(writeIndexes(new Set(indexes)))].sort((a, b) => a - b)).toEqual([...indexes].sort((a, b) => a - b));
    }),
  );
});
