// Usage of containers as a cluster has it: a daily pattern with noise, several replicas, one of them restarted each day.

import { ContainerModel } from '../../../src/core/recommender/container-model.ts';
import { UsageRing } from '../../../src/state/usage/usage-ring.ts';
import type { UsageSample } from '#kube/records/usage';
import { DAY_MS, MINUTE_MS, type DurationMs, type Instant } from '#kube/units';
import { seededRandom } from '../../fakes/seeded-random.ts';
import { MONDAY } from '../../builders/usage.ts';
import { liveBytes } from './live-bytes.ts';

/** Replicas of a workload, and how often each is measured. */
const REPLICAS = 6;
const STEP_MS: DurationMs = 5 * MINUTE_MS;
const WARM_UP_CONTAINERS = 20;
const MiB = 2 ** 20;

interface Observer {
  take(pod: string, sample: UsageSample): void;
}

/** Bytes a container takes of `count` that observed a span of usage. */
async function bytesOf(count: number, spanMs: DurationMs, create: () => Observer): Promise<number> {
  // A first pass creates compiled code and hidden classes, which do not belong to the containers.
  observeUsage(WARM_UP_CONTAINERS, spanMs, create);
  const before = await liveBytes();
  const observers = observeUsage(count, spanMs, create);
  const bytes = ((await liveBytes()) - before) / count;
  if (observers.length !== count) throw new Error('observers are missing');
  return Math.round(bytes);
}

function observeUsage(count: number, spanMs: DurationMs, create: () => Observer): readonly Observer[] {
  const pods = Array.from({ length: REPLICAS }, (_, index) => `api-00042-6d4cf56db6-${String(index).padStart(5, 'x')}`);
  const random = seededRandom(1);
  const observers: Observer[] = [];
  for (let index = 0; index < count; index++) {
    const observer = create();
    for (let at = MONDAY + STEP_MS; at <= MONDAY + spanMs; at += STEP_MS) {
      // Each message to the recommender's thread has a name of its own.
      for (const [replica, pod] of pods.entries()) observer.take(Buffer.from(pod).toString(), sampleAt(at, index, replica, random.next()));
    }
    observers.push(observer);
  }
  return observers;
}

function sampleAt(at: Instant, index: number, replica: number, noise: number): UsageSample {
  const daily = 1 + 0.6 * Math.sin((2 * Math.PI * (at % DAY_MS)) / DAY_MS);
  return {
    at,
    clockOffsetMs: null,
    cpuMillicores: (50 + (index % 40) * 10) * daily * (0.7 + 0.6 * noise) + replica,
    memoryBytes: (100 + (index % 40) * 20) * MiB * (1 + 0.1 * daily + 0.02 * noise),
    throttledRatio: noise < 0.1 ? noise : 0,
    startedAt: MONDAY - DAY_MS + Math.floor((at - MONDAY) / DAY_MS) * (replica === 0 ? DAY_MS : 0),
  };
}

/** Bytes of the recommender's model of a container. */
export function modelBytes(count: number, spanMs: DurationMs): Promise<number> {
  return bytesOf(count, spanMs, () => {
    const model = new ContainerModel();
    return { take: (pod, sample) => model.observe(pod, sample) };
  });
}

/** Bytes of the usage of a day for graphs. */
export function ringBytes(count: number, spanMs: DurationMs): Promise<number> {
  return bytesOf(count, spanMs, () => {
    const ring = new UsageRing();
    return { take: (pod, sample) => ring.add(pod, sample) };
  });
}
