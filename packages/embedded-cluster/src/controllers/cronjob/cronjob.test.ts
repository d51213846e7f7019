import { describe, expect, test } from '@jest/globals';
import { aPodTemplate } from '../../../testing/workloads.ts';
import { ControllerWorld } from '../../../testing/controller-world.ts';
import { isActive } from '../pods/pod-state.ts';
import type { CronJob } from '../wire/workload.ts';

const MINUTE = 60_000;

function scheduled(spec: Record<string, unknown> = {}): ControllerWorld {
  const world = new ControllerWorld();
  const template = aPodTemplate({ name: 'tick' });
  world.create('cronjobs.batch', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'shop' },
    spec: {
      schedule: '*/10 * * * *',
      jobTemplate: {
        spec: {
          completions: 1,
          parallelism: 1,
          backoffLimit: 0,
          template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
        },
      },
      ...spec,
    },
  });
  return world;
}

function pass(world: ControllerWorld, minutes: number, ending?: 'Succeeded' | 'Failed'): void {
  for (let minute = 0; minute < minutes; minute += 1) {
    world.clock.advance(MINUTE);
    world.runKubelets();
    if (ending !== undefined) for (const pod of world.pods().filter(isActive)) world.finishPod(pod.metadata.name, ending);
  }
}

const jobs = (world: ControllerWorld): string[] => world.cluster.list('jobs.batch').map(({ metadata }) => metadata.name);
const cronJob = (world: ControllerWorld): CronJob => world.cluster.get('cronjobs.batch', 'shop', 'tick') as CronJob;

describe('a CronJob', () => {
  test('starts a job at each of its times, named after the minute', () => {
    const world = scheduled();
    pass(world, 25);
    const first = Date.UTC(2026, 10, 2, 0, 10) / MINUTE;
    expect(jobs(world)).toEqual([`tick-${String(first)}`, `tick-${String(first + 10)}`]);
    expect(cronJob(world).status).toMatchObject({ lastScheduleTime: '2026-11-02T00:20:00Z' });
    expect(cronJob(world).status?.active).toHaveLength(2);
  });

  test('reads its schedule in its own time zone', () => {
    const world = scheduled({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' });
    pass(world, 24 * 60 - 1);
    expect(cronJob(world).status?.lastScheduleTime).toBeUndefined();
    pass(world, 1);
    expect(cronJob(world).status?.lastScheduleTime).toBe('2026-11-03T00:00:00Z');
  });

  test('keeps the last of its jobs and deletes the rest', () => {
    const world = scheduled();
    pass(world, 65, 'Succeeded');
    expect(jobs(world)).toHaveLength(3);
    expect(cronJob(world).status).toEqual({ lastScheduleTime: '2026-11-02T01:00:00Z', lastSuccessfulTime: '2026-11-02T01:00:00Z' });
  });

  test.each([
    ['Forbid waits for the one that runs', 'Forbid', 1, '00:10:00'],
    ['Replace ends it', 'Replace', 1, '00:20:00'],
    ['Allow runs beside it', 'Allow', 2, '00:20:00'],
  ])('with %s', (_, concurrencyPolicy, running, last) => {
    const world = scheduled({ concurrencyPolicy });
    pass(world, 21);
    expect(jobs(world)).toHaveLength(running);
    expect(cronJob(world).status?.lastScheduleTime).toBe(`2026-11-02T${last}Z`);
  });

  test('starts nothing while it is suspended, and one missed run afterwards', () => {
    const world = scheduled({ suspend: true });
    pass(world, 35);
    expect(jobs(world)).toEqual([]);
    world.change('cronjobs.batch', 'tick', (draft) => {
      (draft as CronJob).spec.suspend = false;
    });
    expect(jobs(world)).toHaveLength(1);
  });

  test('starts no missed run after startingDeadlineSeconds', () => {
    const world = scheduled({ suspend: true, startingDeadlineSeconds: 60 });
    pass(world, 35);
    world.change('cronjobs.batch', 'tick', (draft) => {
      (draft as CronJob).spec.suspend = false;
    });
    expect(jobs(world)).toEqual([]);
    pass(world, 5);
    expect(jobs(world)).toHaveLength(1);
  });
});
