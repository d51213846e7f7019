import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** A weak reference keeps its object until the end of the job, and finalizers run in a job of their own. */
const PASSES = 3;

/** Bytes of live objects: the heap after a garbage collection, and the memory of typed arrays outside of it. */
export async function liveBytes(): Promise<number> {
  for (let pass = 0; pass < PASSES; pass++) {
    await setImmediate();
    collectGarbage();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
