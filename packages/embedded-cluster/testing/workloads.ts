// Workloads in wire format, with the defaults of the schema filled in.

interface WorkloadTraits {
  readonly name?: string;
  readonly replicas?: number;
  readonly image?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export function aPodTemplate({ name = 'web', image = 'web:1', cpu = '100m', memory = '128Mi' }: WorkloadTraits = {}): {
  metadata: { labels: Record<string, string> };
  spec: { containers: { name: string; image: string; resources: { requests: Record<string, string> } }[] };
} {
  return {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image, resources: { requests: { cpu, memory } } }] },
  };
}

export function aDeployment(traits: WorkloadTraits = {}): object {
  const { name = 'web', replicas = 3, spec = {} } = traits;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'shop' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: aPodTemplate(traits),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

/** A pod without an owner, as the server returns it after defaulting. */
export function aWirePod(
  traits: WorkloadTraits & {
    readonly labels?: Record<string, string>;
    readonly node?: string;
    readonly phase?: string;
    readonly ready?: boolean;
  } = {},
): object {
  const { name = 'web-1', labels = { app: 'web' }, node, phase = 'Running', ready = true } = traits;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', labels },
    spec: { ...aPodTemplate(traits).spec, ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-11-02T00:00:00Z' }] },
  };
}
