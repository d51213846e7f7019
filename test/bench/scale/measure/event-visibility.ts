// Time from an event of the API server to its visibility in the dashboard's API: a label of a node changes, and the node is read until the
// read has it.

import { setTimeout as wait } from 'node:timers/promises';
import { boundedFetch } from '../../../bounded-fetch.ts';
import { machineMs } from '../played/messages.ts';

const POLL_EVERY_MS = 20;
const MARK_EVERY_MS = 1_000;
const STRIDE = 61;

/** Changes the label of a node; returns the node and the time of its event. */
export type MarkNode = (index: number, mark: string) => Promise<{ readonly node: string; readonly atMs: number }>;

/** Times in milliseconds until the signal aborts. */
export async function measureVisibility(origin: string, markNode: MarkNode, signal: AbortSignal): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 1; !signal.aborted; count++) {
    const mark = String(count);
    const { node, atMs } = await markNode(count * STRIDE, mark);
    while (!isAborted(signal) && !(await isVisible(origin, node, mark))) await wait(POLL_EVERY_MS);
    if (isAborted(signal)) break;
    times.push(machineMs() - atMs);
    await wait(MARK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return times;
}

async function isVisible(origin: string, node: string, mark: string): Promise<boolean> {
  const { status, text } = await boundedFetch(`${origin}/api/v1/nodes/${node}`, `node ${node} with its new label`);
  return status === 200 && text.includes(`"bench.evenkeel.dev/mark":"${mark}"`);
}

// A function, because the compiler takes a flag as unchanged by an await.
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
