// A kubelet's refusal of one workload counts for the others of its node pool.

import { expect, test } from '@jest/globals';
import { amounts, anAdvice, aPodRecord, aWorkloadRecord } from '../../../test/builders/rightsizing.ts';
import { ResizeWorld, WEB } from '../../../test/fakes/worlds/resize-world.ts';
import { MINUTE_MS } from '#kube/units';
import { workloadKey } from '#kube/records/workload';

const SWAP = 'In-place resize of containers with swap is not supported.';

test('memory that a kubelet refuses because of swap is not requested for another workload of the node pool', async () => {
  const world = new ResizeWorld();
  const advice = [anAdvice({ cpu: '900m', memory: '1Gi' })];
  world.cluster.nodeList = world.cluster.nodeList.map((node) => ({ ...node, pool: 'blue' }));
  world.advice.set(WEB, advice);
  world.setPolicy('all', { mode: 'Auto', windows: [] });
  const had = { requests: amounts('500m', '512Mi'), limits: amounts(null, null) };
  const kubelet = (): void =>
    world.setPods((pod) => {
      const [container] = pod.containers;
      if (container === undefined) return pod;
      if (container.requests.memoryBytes === had.requests.memoryBytes) {
        return { ...pod, containers: [{ ...container, actual: container }], resize: { state: 'none', message: '', since: null } };
      }
      const since = pod.resize.since ?? world.clock.now();
      return {
        ...pod,
        containers: [{ ...container, actual: had }],
        resize: { state: 'infeasible', message: SWAP, since, refusal: { code: 'swap', resource: 'memory' } },
      };
    });
  const liveOn = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await world.run(MINUTE_MS);
      kubelet();
    }
  };
  await liveOn(30);
  expect(world.status()).toMatchObject({
    state: 'awaiting',
    reason: 'node-unsupported',
    message: `web-1: node pool blue/v1.36.0: ${SWAP}`,
  });
  expect(world.cpus()).toEqual([900, 900, 900]);

  // A new process reads it from the Recommendation's status.
  world.start();
  await liveOn(5);
  const api = aWorkloadRecord({ name: 'api', uid: 'uid-api' });
  world.addWorkload(api, [aPodRecord({ name: 'api-1', labels: { app: 'api' } })]);
  world.advice.set(workloadKey(api), advice);
  await liveOn(10);
  const reverts = world.events.filter(({ reason, message }) => reason === 'ResizeReverted' && message.includes('api-1'));
  expect(reverts).toEqual([]);
  const created = world.cluster.podList.find(({ name }) => name === 'api-1');
  expect(created?.containers[0]?.requests).toEqual(amounts('900m', '512Mi'));
});
