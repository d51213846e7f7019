// The fields of a pod that the pod runner reads.

export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: string | number };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly successThreshold?: number;
}

interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly secretKeyRef?: KeyRef;
    readonly configMapKeyRef?: KeyRef;
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly resources?: object;
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
    readonly subPath?: string;
  }[];
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly securityContext?: { readonly readOnlyRootFilesystem?: boolean; readonly runAsUser?: number };
}

export interface ProjectedSource {
  readonly serviceAccountToken?: { readonly path: string; readonly expirationSeconds?: number; readonly audience?: string };
  readonly configMap?: { readonly name: string; readonly items?: readonly { readonly key: string; readonly path: string }[] };
  readonly downwardAPI?: { readonly items: readonly { readonly path: string; readonly fieldRef: { readonly fieldPath: string } }[] };
}

export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string; readonly optional?: boolean };
  readonly secret?: { readonly secretName: string; readonly optional?: boolean };
  readonly emptyDir?: object;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly projected?: { readonly sources: readonly ProjectedSource[] };
}

export interface PodWire {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext?: { readonly runAsUser?: number; readonly fsGroup?: number };
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly Volume[];
  };
}

/** Value of a downward API field reference. @throws for an unsupported path */
export function fieldOf({ metadata, spec }: PodWire, fieldPath: string, address: string): string {
  const values: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.podIP': address,
    'status.hostIP': address,
  };
  const value = values[fieldPath];
  if (value === undefined) throw new Error(`pod ${metadata.name}: the pod runner does not support the field ${fieldPath}`);
  return value;
}
