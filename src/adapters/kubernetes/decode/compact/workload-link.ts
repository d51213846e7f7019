import type { Instant } from '#kube/units';
import type { OwnerRef, TemplateContainer, WorkloadRecord } from '#kube/records/workload';
import type { Metadata } from '../decode-metadata.ts';
import { packNumber, packTime, unpackTime } from './compact-values.ts';

/** What nothing reads of a link. */
const LEFT_OUT: Pick<WorkloadRecord, 'labels' | 'annotations' | 'deletionAt' | 'containers' | 'replicas' | 'rolloutInProgress'> = {
  labels: {},
  annotations: {},
  deletionAt: null,
  containers: [],
  replicas: { desired: 0, current: 0, ready: 0 },
  rolloutInProgress: false,
};

/**
 * A controlled ReplicaSet or Job. It only links pods to its controller, which has the progress of the roll-out, and a Deployment has up to
 * eleven of them: labels, annotations, containers and replicas are left out.
 */
export class WorkloadLink implements WorkloadRecord {
  readonly #kind: Pick<WorkloadRecord, 'kind' | 'apiVersion'>;
  readonly #namespace: string;
  readonly #name: string;
  readonly #uid: string;
  readonly #resourceVersion: string | number;
  readonly #createdAt: number | null;
  readonly #controller: OwnerRef;

  constructor(kind: Pick<WorkloadRecord, 'kind' | 'apiVersion'>, controller: OwnerRef, metadata: Omit<Metadata, 'labels'>) {
    this.#kind = kind;
    this.#namespace = metadata.namespace;
    this.#name = metadata.name;
    this.#uid = metadata.uid;
    this.#resourceVersion = packNumber(metadata.resourceVersion);
    this.#createdAt = packTime(metadata.createdAt);
    this.#controller = controller;
  }

  get kind(): string {
    return this.#kind.kind;
  }

  get apiVersion(): string {
    return this.#kind.apiVersion;
  }

  get namespace(): string {
    return this.#namespace;
  }

  get name(): string {
    return this.#name;
  }

  get uid(): string {
    return this.#uid;
  }

  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  get createdAt(): Instant {
    return unpackTime(this.#createdAt) ?? 0;
  }

  get deletionAt(): Instant | null {
    return LEFT_OUT.deletionAt;
  }

  get controller(): OwnerRef {
    return this.#controller;
  }

  get labels(): Readonly<Record<string, string>> {
    return LEFT_OUT.labels;
  }

  get annotations(): Readonly<Record<string, string>> {
    return LEFT_OUT.annotations;
  }

  get containers(): readonly TemplateContainer[] {
    return LEFT_OUT.containers;
  }

  get replicas(): WorkloadRecord['replicas'] {
    return LEFT_OUT.replicas;
  }

  get rolloutInProgress(): boolean {
    return LEFT_OUT.rolloutInProgress;
  }
}
