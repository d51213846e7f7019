import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';

setFlagsFromString('--expose-gc');
// Code that was not run for some collections would be freed, and count as freed objects.
setFlagsFromString('--no-flush-bytecode');
const collectGarbage = runInNewContext('gc') as () => void;
/** A weak reference keeps its object until the end of the job, finalizers run in a job of their own, and typed arrays are freed in another thread. */
const MIN_PASSES = 3;
const MAX_PASSES = 50;
/** Two passes that differ by less have found the same. */
const SAME_BYTES = 4_096;

/** Bytes of live objects: the heap after a garbage collection, and the memory of typed arrays outside of it. */
export async function liveBytes(): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  for (let pass = 1; ; pass += 1) {
    await setImmediate();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const bytes = heapUsed + arrayBuffers;
    if (pass >= MAX_PASSES || (pass >= MIN_PASSES && Math.abs(before - bytes) < SAME_BYTES)) return bytes;
    before = bytes;
  }
}
