// Maximum size of a kubelet page: a generous share for each pod known on the node, and a base for pods whose watch events have not arrived.
// A larger page would take memory and time shared by all nodes.

import type { PageBounds } from '#kube/kubelet/kubelet-pages';

const KiB = 1024;
const MiB = 1024 * KiB;

/** The pages of a kubelet: `/metrics/resource`, `/stats/summary`, `/metrics/cadvisor`. */
export type PageName = 'metrics' | 'summary' | 'counters';

interface Share {
  readonly base: number;
  readonly perPod: number;
  readonly max: number;
}

/**
 * A pod of two containers has 3 kB of `metrics`, 7 kB of `summary` and 80 kB of `counters`, which is streamed and also covers the system.
 */
const BYTES: Readonly<Record<PageName, Share>> = {
  metrics: { base: MiB, perPod: 16 * KiB, max: 8 * MiB },
  // JSON of 8 MiB can be parsed into 170 MiB of objects.
  summary: { base: MiB, perPod: 48 * KiB, max: 8 * MiB },
  counters: { base: 16 * MiB, perPod: 512 * KiB, max: 64 * MiB },
};
/** A pod with sidecars has about four containers; a restarting one is listed with its instances. */
const CONTAINERS: Share = { base: 256, perPod: 32, max: 20_000 };

/** Bounds of a page of a node with these pods. */
export function pageBounds(page: PageName, pods: Iterable<unknown>): PageBounds {
  let count = 0;
  for (const _ of pods) count += 1;
  return { maxBytes: shareOf(BYTES[page], count), maxContainers: shareOf(CONTAINERS, count) };
}

function shareOf({ base, perPod, max }: Share, pods: number): number {
  return Math.min(max, base + pods * perPod);
}
