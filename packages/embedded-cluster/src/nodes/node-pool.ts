import type { Instant } from '#kube/units';
import type { ClusterAccess } from '../api/cluster-access.ts';
import { hashText } from '../clock/seeded-hash.ts';
import { getMachineType } from './machine-types.ts';
import type { KubeletConfiguration } from './kubelet/kubelet-configuration.ts';
import { nodeObject } from './node-factory.ts';

export interface NodePoolOptions {
  readonly count: number;
  /** Assigned round-robin: with two types every second node has the second. */
  readonly machineTypes: readonly string[];
  readonly seed: number;
  readonly now: Instant;
  /** Assigned round-robin. */
  readonly zones?: readonly string[];
  readonly spot?: boolean;
  /** Port of the first kubelet, counted up; replaced when the kubelets are served over HTTPS. */
  readonly firstKubeletPort?: number;
  /** `v1.33.4`; default: that of the embedded API server. */
  readonly kubeletVersion?: string;
  /** Default: that of Kubernetes. */
  readonly kubelet?: KubeletConfiguration;
}

const DEFAULT_ZONES = ['us-central1-a', 'us-central1-b', 'us-central1-c'];
const KUBELET_PORT = 10_250;

/**
 * Registers nodes, one pool per machine type. Names depend on the seed only. Throws an Error that names known types for an unknown one.
 */
export function createNodes(cluster: ClusterAccess, options: NodePoolOptions): readonly string[] {
  const types = options.machineTypes.map(getMachineType);
  const zones = options.zones ?? DEFAULT_ZONES;
  const names: string[] = [];
  for (let index = 0; index < options.count; index++) {
    const machineType = types[index % types.length];
    const zone = zones[Math.floor(index / types.length) % zones.length];
    if (machineType === undefined || zone === undefined)
      throw new Error('creating nodes: at least one machine type and one zone are needed');
    const pool = `${machineType.name}${options.spot === true ? '-spot' : ''}`;
    const name = `gke-evenkeel-${pool}-${suffix(options.seed, pool, index)}`;
    const kubeletPort = (options.firstKubeletPort ?? KUBELET_PORT) + index;
    const { kubeletVersion, kubelet } = options;
    const ofKubelet = { ...(kubeletVersion === undefined ? {} : { kubeletVersion }), ...(kubelet === undefined ? {} : { kubelet }) };
    cluster.create(
      'nodes',
      nodeObject({ name, machineType, pool, zone, spot: options.spot ?? false, kubeletPort, ...ofKubelet }, options.now),
    );
    names.push(name);
  }
  return names;
}

function suffix(seed: number, pool: string, index: number): string {
  return hashText(seed, `node/${pool}/${index}`).toString(36).padStart(4, '0').slice(0, 4);
}
