/** An object in wire format, loosely typed: the real scheduler's types and our decoders read it. */
export interface WireObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A cluster, which schedulerrules reads as one line of JSON. */
export interface WireCluster {
  readonly nodes: readonly WireObject[];
  readonly pods: readonly WireObject[];
  readonly pending: readonly WireObject[];
  readonly namespaces: readonly WireObject[];
  readonly volumes: readonly WireObject[];
  readonly claims: readonly WireObject[];
  readonly storageClasses: readonly WireObject[];
  readonly csiNodes: readonly WireObject[];
  readonly csiDrivers: readonly WireObject[];
  readonly storageCapacities: readonly WireObject[];
  readonly volumeAttachments: readonly WireObject[];
  readonly budgets: readonly WireObject[];
}

export const NAMESPACES = ['shop', 'ops', 'lab'] as const;
export const HOSTNAME = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';
export const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
export const ZONES = ['a', 'b', 'c'] as const;
/** `constructor` is a valid label key, and a trap for look-ups in objects. */
export const TOPOLOGY_KEYS = [HOSTNAME, ZONE, ZONE, 'rack', REGION, 'constructor'] as const;
export const GPU = 'example.com/gpu';
