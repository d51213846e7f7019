import { beforeEach, describe, expect, test } from '@jest/globals';
import { MINUTE_MS, SECOND_MS } from '#kube/units';
import { workloadKey, type WorkloadKey } from '#kube/records/workload';
import { anAdvice, aWorkloadRecord } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { BURST_WRITES, WRITES_PER_SECOND } from './publish/write-budget.ts';

/** More than the burst creates. */
const WORKLOADS = BURST_WRITES / 2 + 60;

let world: ResizeWorld;
let keys: WorkloadKey[];

beforeEach(() => {
  world = new ResizeWorld();
  keys = [];
  for (let at = 0; at < WORKLOADS; at += 1) {
    const workload = aWorkloadRecord({ name: `w${at}`, uid: `uid-w${at}` });
    world.addWorkload(workload, []);
    keys.push(workloadKey(workload));
  }
});

const runSeconds = async (seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) await world.run(SECOND_MS);
};
const published = (): number => keys.filter((key) => world.status(key).state !== undefined).length;

describe('in a cluster with more workloads than the burst of writes', () => {
  test('Recommendations of workloads that are collecting usage are created at a bounded rate, and readers see all at once', async () => {
    await world.run(0);
    expect(world.writes).toBeLessThanOrEqual(BURST_WRITES);
    expect(published()).toBeGreaterThan(BURST_WRITES / 2 - 2);
    const missing = keys.filter((key) => world.recommendation(key) === undefined);
    expect(missing.map((key) => world.decisions.unpublished(key)?.state)).toEqual(missing.map(() => 'collecting'));

    await runSeconds(3);
    expect(world.writes).toBeLessThanOrEqual(BURST_WRITES + 3 * WRITES_PER_SECOND);
    expect(published()).toBeLessThan(WORKLOADS);
    await runSeconds(30);
    expect(published()).toBe(WORKLOADS);
    expect(world.writes).toBe(2 * (WORKLOADS + 1));
  });

  test('a change is carried out and reported at once while others wait', async () => {
    world.setPolicy('web', { mode: 'Auto', workloadSelector: { matchLabels: { app: 'web' } } });
    world.cluster.workloadList = world.cluster.workloadList.map((workload) =>
      workload.name === 'web' ? { ...workload, labels: { app: 'web' } } : workload,
    );
    await world.run(0);
    expect(published()).toBeLessThan(WORKLOADS);
    world.advice.set(WEB, [anAdvice()]);
    await world.reconcile(WEB);
    expect(world.status()).toMatchObject({ state: 'applying', apply: { stage: 'Canary' } });
    expect(world.cpus().slice(0, 3)).toEqual([100, 500, 500]);
  });

  test('a user request is answered at once, and a first value before workloads that are collecting usage', async () => {
    await world.run(0);
    const [valued = '', asked = ''] = keys;
    const last = keys.at(-1) ?? '';
    expect(world.recommendation(last)).toBeUndefined();
    world.advice.set(valued, [anAdvice()]);
    await world.reconcile(valued);
    expect(world.status(valued).state).toBe('collecting');
    world.requestByUser({ paused: true }, asked);
    await world.reconcile(asked);
    expect(world.status(asked)).toMatchObject({ observedGeneration: 2 });
    await runSeconds(2);
    expect(world.status(valued).state).toBe('recommended');
    expect(world.recommendation(last)).toBeUndefined();
  });

  test('a change that waits is logged once, when it is written', async () => {
    await world.run(0);
    const [valued = ''] = keys;
    world.advice.set(valued, [anAdvice()]);
    const lines = () => world.log.lines.filter(({ fields }) => fields['object'] === valued && fields['state'] === 'recommended');
    await world.reconcile(valued);
    expect(lines()).toEqual([]);
    await runSeconds(10);
    await world.run(MINUTE_MS);
    expect(lines()).toHaveLength(1);
  });

  test('after a crash between the object and its status the status is written', async () => {
    world.diesAfterWrites = 1;
    expect(await world.run(0)).toBe('died');
    expect(world.cluster.recommendationList.map(({ status }) => status)).toEqual([undefined]);
    world.start();
    await world.run(0);
    expect(world.cluster.recommendationList.filter(({ status }) => status === undefined)).toEqual([]);
  });

  test('a status that was refused after its object was created is written with the next decision', async () => {
    await world.run(0);
    const last = keys.at(-1) ?? '';
    expect(world.decisions.unpublished(last)?.state).toBe('collecting');
    // The object alone, as after a failed status write.
    await world.records.apply(
      { plural: 'recommendations', namespace: 'shop', name: `deployment-w${WORKLOADS - 1}` },
      { spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `w${WORKLOADS - 1}` } } },
      { fieldManager: 'test' },
    );
    await world.reconcile(last);
    expect(world.status(last).state).toBe('collecting');
  });
});
