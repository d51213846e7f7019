// What a kubelet's page may hold: a generous share for each pod that the node is known to run, and some for pods whose watch
// events have not arrived. A node that writes more would take memory and time that all nodes share.

import type { PageBounds } from '#kube/kubelet/kubelet-pages';

const KiB = 1024;
const MiB = 1024 * KiB;

/** The pages of a kubelet: `/metrics/resource`, `/stats/summary`, `/metrics/cadvisor`. */
export type PageName = 'metrics' | 'summary' | 'counters';

interface Share {
  readonly base: number;
  readonly perPod: number;
  readonly most: number;
}

/** A pod of two containers has 3 kB of `metrics`, 7 kB of `summary` and 80 kB of `counters`, which are streamed and also of the system. */
const BYTES: Readonly<Record<PageName, Share>> = {
  metrics: { base: MiB, perPod: 16 * KiB, most: 8 * MiB },
  // JSON of 8 MiB can be parsed into 170 MiB of objects.
  summary: { base: MiB, perPod: 48 * KiB, most: 8 * MiB },
  counters: { base: 16 * MiB, perPod: 512 * KiB, most: 64 * MiB },
};
/** A pod with a sidecar or two has four; one that restarts is listed with its instances. */
const CONTAINERS: Share = { base: 256, perPod: 32, most: 20_000 };

/** Bounds of a page of a node that runs these pods. */
export function pageBounds(page: PageName, pods: Iterable<unknown>): PageBounds {
  let count = 0;
  for (const _ of pods) count += 1;
  return { maxBytes: shareOf(BYTES[page], count), maxContainers: shareOf(CONTAINERS, count) };
}

function shareOf({ base, perPod, most }: Share, pods: number): number {
  return Math.min(most, base + pods * perPod);
}
