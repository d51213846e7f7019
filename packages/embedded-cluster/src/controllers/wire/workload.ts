// Wire format of workloads after defaulting.

import type { LabelSelector } from '#kube/label-selector';
import type { KubeObject } from '../../api/kube-object.ts';
import type { PodTemplate, WireCondition } from './pod.ts';

export type IntOrPercent = number | string;

export interface RollingUpdate {
  maxSurge?: IntOrPercent;
  maxUnavailable?: IntOrPercent;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  collisionCount?: number;
  conditions?: WireCondition[];
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: { type?: string; rollingUpdate?: RollingUpdate };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface ReplicaSetStatus {
  observedGeneration?: number;
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  conditions?: WireCondition[];
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplate; minReadySeconds?: number };
  status?: ReplicaSetStatus;
}

export interface ClaimTemplate {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrPercent } };
    volumeClaimTemplates?: ClaimTemplate[];
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    ordinals?: { start?: number };
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  };
  status?: StatefulSetStatus;
}

export interface DaemonSetStatus {
  observedGeneration?: number;
  currentNumberScheduled?: number;
  desiredNumberScheduled?: number;
  numberMisscheduled?: number;
  numberReady?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  updatedNumberScheduled?: number;
  collisionCount?: number;
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: RollingUpdate };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: DaemonSetStatus;
}

export interface ControllerRevision extends KubeObject {
  revision: number;
  data: { spec: { template: PodTemplate & { $patch?: string } } };
}

export interface JobStatus {
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  conditions?: WireCondition[];
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  backoffLimit?: number;
  completionMode?: string;
  activeDeadlineSeconds?: number;
  ttlSecondsAfterFinished?: number;
  suspend?: boolean;
  manualSelector?: boolean;
  selector?: LabelSelector;
  template: PodTemplate;
}

export interface Job extends KubeObject {
  spec: JobSpec;
  status?: JobStatus;
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    concurrencyPolicy?: string;
    suspend?: boolean;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: { metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }; spec: JobSpec };
  };
  status?: {
    active?: { apiVersion: string; kind: string; name: string; namespace: string; uid: string }[];
    lastScheduleTime?: string;
    lastSuccessfulTime?: string;
  };
}
