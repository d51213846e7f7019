import { describe, expect, test } from '@jest/globals';
import { aWorkload, packFiles, REQUESTS, REQUIRED } from '../../../../../test/builders/pack-files.ts';

const POOLS = 'machine_type,vcpu,memory_gib,usd_per_hour\nsmall,4,16,0.2\n';

function apart(keys: string): string {
  const term = `{ topologyKey: kubernetes.io/hostname, ${keys}, labelSelector: { matchLabels: { app: web } } }`;
  return `{ ${REQUESTS}, affinity: { podAntiAffinity: { ${REQUIRED}: [${term}] } } }`;
}

describe('labels that a controller adds to its pods', () => {
  test.each([
    ['Deployment', 'pod-template-hash'],
    ['StatefulSet', 'controller-revision-hash'],
    ['Job', 'batch.kubernetes.io/controller-uid'],
    ['Job', 'batch.kubernetes.io/job-name'],
  ])('separate the pods of one %s from those of another by %s', (kind, key) => {
    const workloads = ['one', 'two'].map((name) =>
      aWorkload(name, 2, apart(`matchLabelKeys: [${key}]`), { kind, app: 'web', ...(kind === 'Job' && { spec: 'parallelism: 2' }) }),
    );
    const { problems, usdPerHour } = packFiles(workloads, POOLS);
    expect(problems).toEqual([]);
    expect(usdPerHour).toBeCloseTo(0.4, 9);
  });

  test('make a mismatch of them a rule about other pods, which is refused', () => {
    const { problems } = packFiles([aWorkload('web', 2, apart('mismatchLabelKeys: [pod-template-hash]'))], POOLS);
    expect(problems).toEqual([expect.stringContaining('its anti-affinity selects other pods than its own')]);
  });

  test('of other kinds are absent, and an absent key is ignored, as by the API server', () => {
    const workloads = ['one', 'two'].map((name) =>
      aWorkload(name, 2, apart('matchLabelKeys: [pod-template-hash]'), { kind: 'ReplicaSet', app: 'web' }),
    );
    expect(packFiles(workloads, POOLS).usdPerHour).toBeCloseTo(0.8, 9);
  });
});
