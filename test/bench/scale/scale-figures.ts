// The figures of one size from its measurements, each with the goal at 5,000 nodes where there is one.

import type { Figure, FigureUnit } from '../figures.ts';
import type { ReadFigures } from './measure/dashboard-clients.ts';
import { percentile } from './measure/percentile.ts';
import type { ProcessTimes } from './measure/proc-times.ts';
import { explainedReads, unpagedListsOfLargeKinds, writesByKind } from './request-kinds.ts';
import type { PhaseReport } from './measured-controller.ts';
import type { PlayedCounts } from './played-processes.ts';

/** From the start of the process until its reads have all workloads, and until it reports that it has started. */
export interface StartTimes {
  readonly readsReadyMs: number;
  readonly readyMs: number;
  /** CPU seconds of all threads until both. */
  readonly cpuSeconds: number;
}

/** Measurements at one moment. */
export interface Moment {
  readonly times: ProcessTimes;
  readonly counts: PlayedCounts;
}

/** A phase of steady load. */
export interface Phase {
  readonly from: Moment;
  readonly to: Moment;
  readonly loop: PhaseReport;
  /** Times from an event to its visibility in the API; empty where they are not measured. */
  readonly visibleMs: readonly number[];
}

export interface ScaleMeasurements {
  readonly nodes: number;
  readonly minutes: number;
  readonly pods: number;
  /** Heap of the main thread after the first sync of the same cluster without pods, and with pods. */
  readonly emptyHeapBytes: number;
  readonly fullHeapBytes: number;
  readonly firstStart: StartTimes;
  readonly restart: StartTimes;
  /** From the start until the steady phase begins, in which every node is read twice. */
  readonly settling: PhaseReport;
  /** Watch events alone; with one client that waits for an event; with reads of the dashboard. */
  readonly events: Phase;
  readonly waiting: Phase;
  readonly reading: Phase;
  readonly reads: ReadFigures;
  readonly lostLeases: number;
  readonly recommenderSeconds: number | null;
  readonly stopMs: number;
}

/** A figure, and the worst value that meets the goal. */
export interface GoalFigure extends Figure {
  readonly goal?: number;
}

/** Threads of the controller by their names in /proc; V8's collect garbage and compile. */
const THREADS = { recommender: 'recommender', 'kubelet-pages': 'kubeletPages', V8Worker: 'v8' } as const;
const GiB = 2 ** 30;
const SECOND = 1_000;

export function scaleFigures(measured: ScaleMeasurements): readonly GoalFigure[] {
  const { nodes, minutes, events, reading, settling, reads } = measured;
  const input = `${nodes} nodes, ${minutes} minutes`;
  const figure: MakeFigure = (name, value, unit, goal) => ({
    id: `scale/${nodes}-nodes/${name}`,
    value: rounded(value),
    unit,
    input,
    ...(goal === undefined ? {} : { goal }),
  });
  const { times, counts } = reading.to;
  const { recommenderSeconds } = measured;
  const cycle =
    recommenderSeconds === null ? [] : [figure('recommender/cycle', recommenderSeconds * SECOND, 'cpuMilliseconds', 30 * SECOND)];
  return [
    figure('memory/resident', times.residentBytes, 'residentBytes', GiB),
    figure('memory/peak', times.peakBytes, 'residentBytes'),
    figure('memory/heapPerPod', (measured.fullHeapBytes - measured.emptyHeapBytes) / measured.pods, 'bytes', 512),
    figure('start/first/readsReady', measured.firstStart.readsReadyMs, 'loadedMilliseconds', 90 * SECOND),
    figure('start/first/ready', measured.firstStart.readyMs, 'loadedMilliseconds', 90 * SECOND),
    figure('start/first/cpu', measured.firstStart.cpuSeconds * SECOND, 'cpuMilliseconds'),
    figure('start/restart/readsReady', measured.restart.readsReadyMs, 'loadedMilliseconds', 30 * SECOND),
    figure('start/restart/ready', measured.restart.readyMs, 'loadedMilliseconds'),
    figure('start/restart/cpu', measured.restart.cpuSeconds * SECOND, 'cpuMilliseconds'),
    figure('settling/hold/p99', settling.holdP99Ms, 'cpuMilliseconds', 50),
    figure('settling/hold/longest', settling.holdMaxMs, 'cpuMilliseconds'),
    ...phaseFigures('events', events, figure),
    ...visibleFigures('waiting', measured.waiting, figure),
    ...phaseFigures('reads', reading, figure),
    ...visibleFigures('reads', reading, figure),
    ...cycle,
    figure('apiServer/requestsPerRead', requestsPerRead(reading, reads.reads), 'ratio', 0),
    figure('apiServer/unpagedLargeLists', unpagedListsOfLargeKinds(counts.counts), 'count', 0),
    figure('apiServer/droppedWatches', droppedWatches(counts.counts), 'count', 0),
    figure('leases/lost', measured.lostLeases, 'count', 0),
    figure('leases/longestRenewalGap', counts.longestRenewalGapMs, 'loadedMilliseconds'),
    figure('reads/cpuPerRead', cpuPerRead(events, reading, reads.reads), 'cpuMilliseconds'),
    figure('reads/ok/p50', reads.ok.p50Ms, 'loadedMilliseconds'),
    figure('reads/ok/p99', reads.ok.p99Ms, 'loadedMilliseconds', 50),
    figure('reads/unchanged/p50', reads.unchanged.p50Ms, 'loadedMilliseconds'),
    figure('reads/unchanged/p99', reads.unchanged.p99Ms, 'loadedMilliseconds', 5),
    figure('reads/unanswered', reads.unanswered / Math.max(1, reads.reads), 'ratio', 0.01),
    figure('reads/failed', reads.failed, 'count', 0),
    figure('reads/streamEnds', reads.streamEnds, 'count', 0),
    figure('stop', measured.stopMs, 'loadedMilliseconds', 10 * SECOND),
  ];
}

type MakeFigure = (name: string, value: number, unit: FigureUnit, goal?: number) => GoalFigure;

function phaseFigures(name: string, { from, to, loop }: Phase, figure: MakeFigure): readonly GoalFigure[] {
  const seconds = secondsOf({ from, to });
  const cpuRatio = (read: (times: ProcessTimes) => number): number => (read(to.times) - read(from.times)) / seconds;
  const writes = writesByKind(differences(to.counts.counts, from.counts.counts));
  // The goal of CPU time is that of watch events without reads.
  const cpuGoal = name === 'events' ? 0.25 : undefined;
  return [
    figure(
      `${name}/cpu/process`,
      cpuRatio(({ cpuSeconds }) => cpuSeconds),
      'cpuRatio',
      cpuGoal,
    ),
    figure(
      `${name}/cpu/mainThread`,
      cpuRatio(({ mainSeconds }) => mainSeconds),
      'cpuRatio',
    ),
    ...Object.entries(THREADS).map(([thread, label]) =>
      figure(
        `${name}/cpu/${label}`,
        cpuRatio(({ threadSeconds }) => threadSeconds[thread] ?? 0),
        'cpuRatio',
      ),
    ),
    figure(`${name}/loopDelay/p99`, loop.delayP99Ms, 'loadedMilliseconds', 50),
    figure(`${name}/hold/p50`, loop.holdP50Ms, 'cpuMilliseconds'),
    figure(`${name}/hold/p99`, loop.holdP99Ms, 'cpuMilliseconds', 50),
    figure(`${name}/hold/longest`, loop.holdMaxMs, 'cpuMilliseconds'),
    figure(`${name}/hold/longRatio`, loop.longHoldRatio, 'cpuRatio', 0.01),
    figure(`${name}/writes/ownRecords`, writes.ownRecords / seconds, 'perSecond', 20),
    figure(`${name}/writes/events`, writes.events / seconds, 'perSecond'),
    figure(`${name}/writes/effects`, writes.effects / seconds, 'perSecond'),
    figure(`${name}/writes/leases`, writes.leases / seconds, 'perSecond'),
    figure(`${name}/writes/other`, writes.other / seconds, 'perSecond'),
  ];
}

function visibleFigures(name: string, { visibleMs }: Phase, figure: MakeFigure): readonly GoalFigure[] {
  const visible = visibleMs.toSorted((a, b) => a - b);
  return [
    figure(`${name}/visible/p50`, percentile(visible, 0.5), 'loadedMilliseconds'),
    figure(`${name}/visible/p99`, percentile(visible, 0.99), 'loadedMilliseconds', SECOND),
  ];
}

function secondsOf({ from, to }: Pick<Phase, 'from' | 'to'>): number {
  return (to.times.atMs - from.times.atMs) / SECOND;
}

/** Requests to the API server that only the reads explain. */
function requestsPerRead({ from, to }: Phase, reads: number): number {
  const counts = differences(to.counts.counts, from.counts.counts);
  return (readRequests(counts) - explainedReads(counts)) / Math.max(1, reads);
}

/** CPU time of the main thread that a read adds to that of watch events. */
function cpuPerRead(events: Phase, reading: Phase, reads: number): number {
  const mainRatio = (phase: Phase): number => (phase.to.times.mainSeconds - phase.from.times.mainSeconds) / secondsOf(phase);
  return ((mainRatio(reading) - mainRatio(events)) * secondsOf(reading) * SECOND) / Math.max(1, reads);
}

/** What grew between two counts. */
function differences(to: Readonly<Record<string, number>>, from: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(to).map(([name, count]) => [name, count - (from[name] ?? 0)]));
}

function readRequests(counts: Readonly<Record<string, number>>): number {
  const reading = Object.entries(counts).filter(([name]) => /^(get|list|unpaged-list) /.test(name));
  return reading.reduce((total, [, count]) => total + count, 0);
}

/** Watches that the controller ended, or whose version had expired. */
function droppedWatches(counts: Readonly<Record<string, number>>): number {
  return (counts['watch ended by client'] ?? 0) + (counts['watch expired'] ?? 0);
}

function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 1_000) / 1_000;
}
