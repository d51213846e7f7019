import { expect, test } from '@jest/globals';
import type { LatencyFigures } from './measure/dashboard-clients.ts';
import type { ProcessTimes } from './measure/proc-times.ts';
import type { PhaseReport } from './measured-controller.ts';
import { type Moment, type Phase, scaleFigures, type ScaleMeasurements } from './scale-figures.ts';

const MiB = 2 ** 20;
const LOOP: PhaseReport = {
  ticks: 6_000,
  seconds: 60,
  delayP99Ms: 40,
  delayMaxMs: 90,
  holdP50Ms: 0,
  holdP99Ms: 12,
  holdMaxMs: 80,
  longHoldRatio: 0.002,
  longest: [],
  heapUsed: 100 * MiB,
  heapTotal: 120 * MiB,
  external: MiB,
  arrayBuffers: MiB,
  rss: 300 * MiB,
};
const LATENCIES: LatencyFigures = { count: 3_000, p50Ms: 2, p99Ms: 60, maxMs: 100 };

function moment(atMs: number, cpuSeconds: number, counts: Readonly<Record<string, number>>): Moment {
  const times: ProcessTimes = {
    atMs,
    cpuSeconds,
    mainSeconds: cpuSeconds / 2,
    mainWaitSeconds: 0,
    threadSeconds: {},
    residentBytes: 300 * MiB,
    peakBytes: 400 * MiB,
  };
  return { times, counts: { counts, events: 0, objects: {}, kubelets: {}, longestRenewalGapMs: 2_100 } };
}

function phase(counts: Readonly<Record<string, number>>, cpuSeconds: number): Phase {
  const from = moment(0, 10, { 'get leases.coordination.k8s.io': 5 });
  return { from, to: moment(60_000, 10 + cpuSeconds, counts), loop: LOOP, visibleMs: [30, 10, 20] };
}

function measurements(counts: Readonly<Record<string, number>>): ScaleMeasurements {
  return {
    nodes: 100,
    minutes: 2,
    pods: 3_000,
    emptyHeapBytes: 70 * MiB,
    fullHeapBytes: 70 * MiB + 3_000 * 500,
    firstStart: { readsReadyMs: 3_000, readyMs: 3_100, cpuSeconds: 4 },
    restart: { readsReadyMs: 2_000, readyMs: 2_100, cpuSeconds: 3 },
    settling: LOOP,
    events: phase(counts, 12),
    waiting: phase(counts, 15),
    reading: phase(counts, 36),
    reads: {
      reads: 6_000,
      failed: 0,
      unanswered: 30,
      ok: LATENCIES,
      unchanged: LATENCIES,
      p99MsByPath: {},
      streamEvents: 9,
      streamEnds: 0,
    },
    lostLeases: 0,
    recommenderSeconds: 0.25,
    stopMs: 200,
  };
}

function valuesOf(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(scaleFigures(measurements(counts)).map(({ id, value }) => [id.replace('scale/100-nodes/', ''), value]));
}

test('CPU time and writes are those of the phase, a second', () => {
  const values = valuesOf({
    'apply recommendations.evenkeel.io': 60,
    'apply recommendations.evenkeel.io/status': 120,
    'patch deployments.apps': 60,
    'patch pods/resize': 30,
    'create events.events.k8s.io': 6,
    'update leases.coordination.k8s.io': 30,
    'create secrets': 3,
    'create selfsubjectaccessreviews.authorization.k8s.io': 600,
    'dry-run patch pods/resize': 600,
  });
  expect(values).toMatchObject({
    'events/cpu/process': 0.2,
    'events/cpu/mainThread': 0.1,
    'events/writes/ownRecords': 4,
    'events/writes/effects': 0.5,
    'events/writes/events': 0.1,
    'events/writes/leases': 0.5,
    'events/writes/other': 0.05,
    'waiting/visible/p50': 20,
    'reads/visible/p99': 30,
    'memory/heapPerPod': 500,
    'recommender/cycle': 250,
    'reads/unanswered': 0.005,
    'start/first/cpu': 4_000,
    // 18 s instead of 6 s of the main thread.
    'reads/cpuPerRead': 2,
  });
});

test('requests of a read are those that neither periodic checks nor effects explain', () => {
  const periodic = { 'get leases.coordination.k8s.io': 40, 'get /version': 12, 'get secrets': 1, 'get pods': 30, 'patch pods/resize': 28 };
  expect(valuesOf(periodic)['apiServer/requestsPerRead']).toBe(0);
  expect(valuesOf({ ...periodic, 'get nodes': 600 })['apiServer/requestsPerRead']).toBe(0.1);
});

test('lists without pages, and watches that the controller ended, are counted over the whole run', () => {
  const values = valuesOf({ 'unpaged-list pods': 1, 'unpaged-list configmaps': 1, 'watch ended by client': 2, 'watch expired': 1 });
  expect(values).toMatchObject({ 'apiServer/unpagedLargeLists': 1, 'apiServer/droppedWatches': 3 });
});

test('a figure names its input and the goal at 5,000 nodes', () => {
  const figures = scaleFigures(measurements({}));
  expect(figures.find(({ id }) => id === 'scale/100-nodes/memory/resident')).toEqual({
    id: 'scale/100-nodes/memory/resident',
    value: 300 * MiB,
    unit: 'residentBytes',
    input: '100 nodes, 2 minutes',
    goal: 2 ** 30,
  });
  expect(new Set(figures.map(({ id }) => id)).size).toBe(figures.length);
});
