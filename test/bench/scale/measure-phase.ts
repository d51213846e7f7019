import { setTimeout as wait } from 'node:timers/promises';
import { type MarkNode, measureVisibility } from './measure/event-visibility.ts';
import type { MeasuredController } from './measured-controller.ts';
import type { PlayedProcesses } from './played-processes.ts';
import type { Moment, Phase } from './scale-figures.ts';

/**
 * Measures the controller for a while, under the load that is on. @param visibility true: nodes are changed and read, to see how long an event
 * takes; the reads are a load of their own
 */
export async function measurePhase(
  controller: MeasuredController,
  played: PlayedProcesses,
  forMs: number,
  visibility: boolean,
): Promise<Phase> {
  const moment = async (): Promise<Moment> => ({ times: controller.times(), counts: await played.counts() });
  const stop = new AbortController();
  const mark: MarkNode = (index, text) => played.mark(index, text);
  const visible = visibility ? measureVisibility(controller.dashboard, mark, stop.signal) : Promise.resolve([]);
  const from = await moment();
  await wait(forMs);
  const to = await moment();
  const loop = await controller.report();
  stop.abort();
  return { from, to, loop, visibleMs: await visible };
}

/** What explains the figures of a phase. */
export function phaseDetails({ from, to, loop }: Phase): object {
  const seconds = (to.times.atMs - from.times.atMs) / 1000;
  return {
    eventsPerSecond: (to.counts.events - from.counts.events) / seconds,
    // Share of the time in which the controller's main thread waited for a core.
    mainThreadWaitRatio: (to.times.mainWaitSeconds - from.times.mainWaitSeconds) / seconds,
    loop,
    times: to.times,
    counts: to.counts,
  };
}
