// Wire format of pods, with the fields that controllers and strategies read. Only cast objects that were validated with their schema.

import type { LabelRequirement } from '#kube/label-selector';
import type { KubeObject } from '../../api/kube-object.ts';

/** By resource name (`cpu`, `memory`, `nvidia.com/gpu` …), as quantities. */
export type ResourceList = Record<string, string>;

export interface WireResources {
  requests?: ResourceList;
  limits?: ResourceList;
}

export interface WireContainer {
  name: string;
  image?: string;
  resources?: WireResources;
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  /** `Always` makes an init container a sidecar. */
  restartPolicy?: string;
  ports?: { name?: string; containerPort: number; protocol?: string; hostPort?: number }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  [field: string]: unknown;
}

export interface WireToleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  key: string;
  operator: LabelRequirement['operator'];
  values?: string[];
}

interface WireAffinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] };
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

export interface PodSpec {
  containers: WireContainer[];
  initContainers?: WireContainer[];
  ephemeralContainers?: WireContainer[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: WireAffinity;
  tolerations?: WireToleration[];
  restartPolicy?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  enableServiceLinks?: boolean;
  schedulingGates?: { name: string }[];
  os?: { name: string };
  overhead?: ResourceList;
  resources?: WireResources;
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string }; [field: string]: unknown }[];
  [field: string]: unknown;
}

export interface WireCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  resources?: WireResources;
  allocatedResources?: ResourceList;
  state?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: string;
  conditions?: WireCondition[];
  qosClass?: string;
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  reason?: string;
  message?: string;
  observedGeneration?: number;
  containerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status: PodStatus;
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; finalizers?: string[]; name?: string };
  spec: PodSpec;
}
