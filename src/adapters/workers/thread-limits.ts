import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/** With V8's default, the space for new objects of a thread grows to 50 MB that stay resident. */
const MAX_NEW_OBJECTS_MB = 8;

/**
 * Heap limits of a thread that starts next. The option `--max-semi-space-size` of the process would take precedence over the limits of a thread;
 * it has taken effect on the main thread, and does not apply to threads that start after this.
 * @param maxHeapMb of objects that live longer; absent: V8's default
 */
export function threadLimits(maxHeapMb?: number): ResourceLimits {
  setFlagsFromString('--max-semi-space-size=0');
  return { maxYoungGenerationSizeMb: MAX_NEW_OBJECTS_MB, ...(maxHeapMb === undefined ? {} : { maxOldGenerationSizeMb: maxHeapMb }) };
}
