// How large a kubelet's page may be: a generous share for each pod that the node is known to run, and some for pods whose watch
// events have not arrived. A node that writes more would fill the controller's memory, which all nodes share.

const KiB = 1024;
const MiB = 1024 * KiB;

interface Share {
  readonly base: number;
  readonly perPod: number;
  readonly most: number;
}

/** A pod of two containers has 3 kB of `metrics`, 7 kB of `summary` and 80 kB of `counters`, which are streamed and also of the system. */
const SHARES = {
  metrics: { base: MiB, perPod: 16 * KiB, most: 8 * MiB },
  summary: { base: MiB, perPod: 48 * KiB, most: 24 * MiB },
  counters: { base: 16 * MiB, perPod: 512 * KiB, most: 64 * MiB },
} as const satisfies Readonly<Record<string, Share>>;

/** The most bytes that a page of a node with so many pods may have. */
export function maxPageBytes(page: keyof typeof SHARES, pods: Iterable<unknown>): number {
  const { base, perPod, most } = SHARES[page];
  let bytes: number = base;
  for (const _ of pods) bytes += perPod;
  return Math.min(most, bytes);
}
