import { getHeapStatistics } from 'node:v8';

/** Heap that a pod takes with its name, the search and the other methods, measured with a million pods. */
const HEAP_BYTES_PER_POD = 1_200;
const GB = 1e9;

/** Why so many pods are not packed; null: there is enough memory. */
export function memoryProblem(file: string, pods: number, heapLimitBytes: number = getHeapStatistics().heap_size_limit): string | null {
  const needed = pods * HEAP_BYTES_PER_POD;
  if (needed <= heapLimitBytes) return null;
  const [need, limit] = [needed, heapLimitBytes].map((bytes) => (bytes / GB).toFixed(1));
  const megabytes = Math.ceil((needed * 1.1) / 2 ** 20 / 100) * 100;
  return `${file}: ${pods} pods need about ${need} GB of heap, of which Node.js may use ${limit} GB; set NODE_OPTIONS=--max-old-space-size=${megabytes}`;
}
