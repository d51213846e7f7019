// The invented shop behind dashboard tests and the preview, as rows.

import type { RecommendationStatus } from '../../../src/apis/v1alpha1/index.ts';
import { HOUR_MS, MiB, type Instant } from '#kube/units';

/** One workload of the shop: its requests, usage and target, per replica. */
export interface ShopRow {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly replicas: number;
  readonly asks: readonly [cpu: number, memoryMiB: number];
  readonly uses: readonly [cpu: number, memoryMiB: number];
  readonly should: readonly [cpu: number, memoryMiB: number] | null;
  readonly state: NonNullable<RecommendationStatus['state']>;
  readonly reason?: string;
  readonly before?: readonly [cpu: number, memoryMiB: number];
}

export const SHOP: readonly ShopRow[] = [
  {
    name: 'checkout',
    namespace: 'shop',
    kind: 'Deployment',
    replicas: 4,
    asks: [1200, 1280],
    uses: [310, 640],
    should: [490, 928],
    state: 'awaiting',
    reason: 'approval',
  },
  {
    name: 'catalogue',
    namespace: 'shop',
    kind: 'Deployment',
    replicas: 3,
    asks: [360, 448],
    uses: [240, 370],
    should: [360, 448],
    state: 'applied',
    before: [1000, 1024],
  },
  {
    name: 'cart',
    namespace: 'shop',
    kind: 'StatefulSet',
    replicas: 3,
    asks: [210, 768],
    uses: [150, 610],
    should: [210, 768],
    state: 'applied',
    before: [500, 1024],
  },
  {
    name: 'web',
    namespace: 'shop',
    kind: 'Deployment',
    replicas: 5,
    asks: [800, 512],
    uses: [180, 260],
    should: [290, 352],
    state: 'awaiting',
    reason: 'cooldown',
  },
  {
    name: 'query',
    namespace: 'search',
    kind: 'Deployment',
    replicas: 3,
    asks: [900, 2048],
    uses: [760, 1810],
    should: [1050, 2304],
    state: 'applying',
  },
  {
    name: 'indexer',
    namespace: 'search',
    kind: 'Deployment',
    replicas: 2,
    asks: [1500, 4096],
    uses: [340, 2300],
    should: [480, 3072],
    state: 'recommended',
  },
  {
    name: 'ledger',
    namespace: 'pay',
    kind: 'StatefulSet',
    replicas: 2,
    asks: [600, 1024],
    uses: [380, 760],
    should: [580, 992],
    state: 'optimal',
  },
  {
    name: 'risk-score',
    namespace: 'pay',
    kind: 'Deployment',
    replicas: 2,
    asks: [300, 512],
    uses: [290, 500],
    should: [440, 800],
    state: 'awaiting',
    reason: 'node-capacity',
  },
  {
    name: 'push',
    namespace: 'notify',
    kind: 'Deployment',
    replicas: 2,
    asks: [250, 256],
    uses: [20, 90],
    should: null,
    state: 'collecting',
  },
  {
    name: 'mailer',
    namespace: 'notify',
    kind: 'Deployment',
    replicas: 1,
    asks: [400, 512],
    uses: [30, 120],
    should: [60, 160],
    state: 'blocked',
    reason: 'other-manager',
  },
  {
    name: 'collector',
    namespace: 'ops',
    kind: 'DaemonSet',
    replicas: 6,
    asks: [120, 192],
    uses: [60, 130],
    should: [80, 160],
    state: 'recommended',
  },
  { name: 'backup', namespace: 'ops', kind: 'Deployment', replicas: 1, asks: [500, 1024], uses: [10, 60], should: null, state: 'excluded' },
];

/** Two machine types, with the list prices of us-central1. */
export const MACHINES = [
  { machineType: 'n2d-standard-4', cores: 4, gib: 16, onDemand: 0.168984, spot: 0.048912 },
  { machineType: 'e2-standard-4', cores: 4, gib: 16, onDemand: 0.134023, spot: 0.053609 },
] as const;

/** CPU in millicores and memory in bytes, as the core represents them. */
export function amounts([cpuMillicores, memoryMiB]: readonly [number, number]): { cpuMillicores: number; memoryBytes: number } {
  return { cpuMillicores, memoryBytes: memoryMiB * MiB };
}

/** Time when the latest change of a row was complete. */
export function appliedAt(row: ShopRow, start: Instant): string {
  return new Date(start - (row.name === 'cart' ? 3 : 27) * HOUR_MS).toISOString();
}
