import { expect, test } from '@jest/globals';
import type { UsageSample } from '#kube/records/usage';
import type { RecommenderUpdate } from '../../core/recommender/recommender-service.ts';
import { requestsOf } from './recommender-messages.ts';
import { decodeSamples, encodeSamples, type SampleUpdate } from './sample-columns.ts';

const FULL: Required<UsageSample> = {
  at: 1_700_000_000_000,
  clockOffsetMs: -3,
  cpuMillicores: 12.34,
  memoryBytes: 2 ** 40 + 1,
  cpuPeakMillicores: 20,
  memoryPeakBytes: 2 ** 41,
  memoryRssBytes: 7,
  throttledRatio: 0.5,
  throttledSpanMs: 60_000,
  oomEvents: 2,
  startedAt: 1_600_000_000_000,
  cpuPressureRatio: 0.25,
  memoryPressureRatio: 0,
};

function anUpdate(pod: string, sample: UsageSample): SampleUpdate {
  return { kind: 'sample', workload: 'shop/Deployment/web', container: 'main', pod, sample };
}

test('samples pass between threads with every value, and null for what is absent', () => {
  const none = Object.fromEntries(Object.keys(FULL).map((field) => [field, null]));
  const sparse = anUpdate('web-2', { at: 5, cpuMillicores: null, memoryBytes: 0 });
  const decoded = decodeSamples(structuredClone(encodeSamples([anUpdate('web-1', FULL), sparse])));
  expect(decoded).toEqual([anUpdate('web-1', FULL), { ...sparse, sample: { ...none, at: 5, memoryBytes: 0 } }]);
});

test('updates of other kinds keep their place between samples', () => {
  const rollout: RecommenderUpdate = { kind: 'version', workload: 'shop/Deployment/web', version: 7, at: 6 };
  const requests = [...requestsOf([anUpdate('a', FULL), anUpdate('b', FULL), rollout, anUpdate('c', FULL)])];
  expect(requests).toEqual([
    { type: 'samples', samples: encodeSamples([anUpdate('a', FULL), anUpdate('b', FULL)]) },
    { type: 'notify', batch: [rollout] },
    { type: 'samples', samples: encodeSamples([anUpdate('c', FULL)]) },
  ]);
  expect([...requestsOf([])]).toEqual([]);
});
