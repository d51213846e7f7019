// The figures of one size from its measurements, each with the goal at 5,000 nodes where there is one.

import type { Figure, FigureUnit } from '../figures.ts';
import type { ReadFigures } from './measure/dashboard-clients.ts';
import { percentile } from './measure/percentile.ts';
import type { ProcessTimes } from './measure/process-times.ts';
import { explainedReads, unpagedListsOfLargeKinds, writesByKind } from './request-kinds.ts';
import type { PhaseReport } from './measured-controller.ts';
import type { PlayedCounts } from './played-processes.ts';

export interface StartTimes {
  readonly readsReadyMs: number;
  readonly readyMs: number;
}

/** Measurements at one moment. */
export interface Moment {
  readonly times: ProcessTimes;
  readonly counts: PlayedCounts;
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
  readonly steady: PhaseReport;
  /** The steady phase. */
  readonly from: Moment;
  readonly to: Moment;
  readonly reads: ReadFigures;
  readonly visibleMs: readonly number[];
  readonly longestRenewalGapMs: number;
  readonly lostLeases: number;
  readonly recommenderSeconds: number | null;
  readonly stopMs: number;
}

/** A figure, and the worst value that meets the goal. */
export interface GoalFigure extends Figure {
  readonly goal?: number;
}

const GiB = 2 ** 30;
const SECOND = 1_000;

export function scaleFigures(measured: ScaleMeasurements): readonly GoalFigure[] {
  const { nodes, minutes, from, to, steady, settling, reads } = measured;
  const input = `${nodes} nodes, ${minutes} minutes`;
  const figure = (name: string, value: number, unit: FigureUnit, goal?: number): GoalFigure => ({
    id: `scale/${nodes}-nodes/${name}`,
    value: rounded(value),
    unit,
    input,
    ...(goal === undefined ? {} : { goal }),
  });
  const seconds = (to.times.atMs - from.times.atMs) / SECOND;
  const ratio = (read: (times: ProcessTimes) => number): number => (read(to.times) - read(from.times)) / seconds;
  const counts = differences(to.counts.counts, from.counts.counts);
  const writes = writesByKind(counts);
  const visible = measured.visibleMs.toSorted((a, b) => a - b);
  return [
    figure('memory/resident', to.times.residentBytes, 'residentBytes', GiB),
    figure('memory/peak', to.times.peakBytes, 'residentBytes'),
    figure('memory/heapPerPod', (measured.fullHeapBytes - measured.emptyHeapBytes) / measured.pods, 'bytes', 512),
    figure('start/first/readsReady', measured.firstStart.readsReadyMs, 'milliseconds', 90 * SECOND),
    figure('start/first/ready', measured.firstStart.readyMs, 'milliseconds', 90 * SECOND),
    figure('start/restart/readsReady', measured.restart.readsReadyMs, 'milliseconds', 30 * SECOND),
    figure('start/restart/ready', measured.restart.readyMs, 'milliseconds'),
    figure(
      'cpu/process',
      ratio(({ cpuSeconds }) => cpuSeconds),
      'cpuRatio',
      0.25,
    ),
    figure(
      'cpu/mainThread',
      ratio(({ mainSeconds }) => mainSeconds),
      'cpuRatio',
      0.25,
    ),
    figure('eventLoop/delay/p99', steady.delayP99Ms, 'milliseconds', 50),
    figure('eventLoop/hold/p99', steady.holdP99Ms, 'milliseconds', 50),
    figure('eventLoop/hold/longest', steady.holdMaxMs, 'milliseconds'),
    figure('eventLoop/hold/longRatio', steady.longHoldRatio, 'cpuRatio', 0.01),
    figure('eventLoop/settling/hold/p99', settling.holdP99Ms, 'milliseconds', 50),
    figure('eventLoop/settling/hold/longest', settling.holdMaxMs, 'milliseconds'),
    ...(measured.recommenderSeconds === null
      ? []
      : [figure('recommender/cycle', measured.recommenderSeconds * SECOND, 'milliseconds', 30 * SECOND)]),
    figure('writes/ownRecords', writes.ownRecords / seconds, 'perSecond', 20),
    figure('writes/events', writes.events / seconds, 'perSecond'),
    figure('writes/effects', writes.effects / seconds, 'perSecond'),
    figure('writes/leases', writes.leases / seconds, 'perSecond'),
    figure('writes/other', writes.other / seconds, 'perSecond'),
    figure('apiServer/requestsPerRead', (readRequests(counts) - explainedReads(counts)) / Math.max(1, reads.reads), 'ratio', 0),
    figure('apiServer/unpagedLargeLists', unpagedListsOfLargeKinds(to.counts.counts), 'count', 0),
    figure('apiServer/droppedWatches', watchesLost(to.counts.counts), 'count', 0),
    figure('leases/lost', measured.lostLeases, 'count', 0),
    figure('leases/longestRenewalGap', measured.longestRenewalGapMs, 'milliseconds'),
    figure('reads/ok/p50', reads.ok.p50Ms, 'milliseconds'),
    figure('reads/ok/p99', reads.ok.p99Ms, 'milliseconds', 50),
    figure('reads/unchanged/p50', reads.unchanged.p50Ms, 'milliseconds'),
    figure('reads/unchanged/p99', reads.unchanged.p99Ms, 'milliseconds', 5),
    figure('reads/failed', reads.failed, 'count', 0),
    figure('reads/streamEnds', reads.streamEnds, 'count', 0),
    figure('events/visible/p50', percentile(visible, 0.5), 'milliseconds'),
    figure('events/visible/p99', percentile(visible, 0.99), 'milliseconds', SECOND),
    figure('stop', measured.stopMs, 'milliseconds', 10 * SECOND),
  ];
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
function watchesLost(counts: Readonly<Record<string, number>>): number {
  return (counts['watch ended by client'] ?? 0) + (counts['watch expired'] ?? 0);
}

function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 1_000) / 1_000;
}
