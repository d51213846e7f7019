// A pod record that has only its own values; what pods of a template have in common is one object for all of them.

import type { SchedulingFacts } from '#kube/pod-spec/scheduling-facts';
import type { ContainerRecord, PodRecord, PodResizeStatus } from '#kube/records/pod';
import type { Instant } from '#kube/units';
import type { OwnerRef } from '#kube/records/workload';
import { packAddress, packNumber, packTime, unpackAddress, unpackTime } from './compact-values.ts';

/** Values that pods of a template have in common while they run. */
export type SharedPodFields = Pick<
  PodRecord,
  | 'namespace'
  | 'annotations'
  | 'phase'
  | 'ready'
  | 'schedulable'
  | 'qosClass'
  | 'priority'
  | 'restartPolicy'
  | 'owner'
  | 'hostNetwork'
  | 'windows'
  | 'sizedAsWhole'
  | 'scheduling'
  | 'initContainers'
  | 'overhead'
>;

/** Values that few pods have. */
export type RarePodFields = Pick<PodRecord, 'deletionAt' | 'unreadySince' | 'resize' | 'resizedBy' | 'pinnedNode'>;

/** Values that each pod has for itself. */
export type OwnPodFields = Pick<
  PodRecord,
  'uid' | 'name' | 'resourceVersion' | 'labels' | 'createdAt' | 'node' | 'readySince' | 'ip' | 'containers'
>;

/** A pod record without properties of its own: read its fields by name, and copy it with `copyPod`. */
export class CompactPod implements PodRecord {
  readonly #shared: SharedPodFields;
  readonly #rare: RarePodFields;
  readonly #uid: string;
  readonly #name: string;
  readonly #resourceVersion: string | number;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #createdAt: number | null;
  readonly #node: string | null;
  readonly #readySince: number | null;
  readonly #ip: string | number | null;
  /** The only container, as most pods have, without an array. */
  readonly #containers: ContainerRecord | readonly ContainerRecord[];

  constructor(own: OwnPodFields, shared: SharedPodFields, rare: RarePodFields) {
    this.#shared = shared;
    this.#rare = rare;
    this.#uid = own.uid;
    this.#name = own.name;
    this.#resourceVersion = packNumber(own.resourceVersion);
    this.#labels = own.labels;
    this.#createdAt = packTime(own.createdAt);
    this.#node = own.node;
    this.#readySince = packTime(own.readySince);
    this.#ip = own.ip === null ? null : packAddress(own.ip);
    const [only, ...others] = own.containers;
    this.#containers = only === undefined || others.length > 0 ? own.containers : only;
  }

  get uid(): string {
    return this.#uid;
  }

  get namespace(): string {
    return this.#shared.namespace;
  }

  get name(): string {
    return this.#name;
  }

  get resourceVersion(): string {
    return String(this.#resourceVersion);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#labels;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#shared.annotations;
  }

  get createdAt(): Instant {
    return unpackTime(this.#createdAt) ?? 0;
  }

  get deletionAt(): Instant | null {
    return this.#rare.deletionAt;
  }

  get node(): string | null {
    return this.#node;
  }

  get phase(): PodRecord['phase'] {
    return this.#shared.phase;
  }

  get ready(): boolean {
    return this.#shared.ready;
  }

  get readySince(): Instant | null {
    return unpackTime(this.#readySince);
  }

  get unreadySince(): Instant | null {
    return this.#rare.unreadySince;
  }

  get schedulable(): boolean {
    return this.#shared.schedulable;
  }

  get qosClass(): PodRecord['qosClass'] {
    return this.#shared.qosClass;
  }

  get priority(): number {
    return this.#shared.priority;
  }

  get restartPolicy(): PodRecord['restartPolicy'] {
    return this.#shared.restartPolicy;
  }

  get owner(): OwnerRef | null {
    return this.#shared.owner;
  }

  get hostNetwork(): boolean {
    return this.#shared.hostNetwork;
  }

  get windows(): boolean {
    return this.#shared.windows;
  }

  get sizedAsWhole(): PodRecord['sizedAsWhole'] {
    return this.#shared.sizedAsWhole;
  }

  get ip(): string | null {
    return this.#ip === null ? null : unpackAddress(this.#ip);
  }

  get resize(): PodResizeStatus {
    return this.#rare.resize;
  }

  get resizedBy(): PodRecord['resizedBy'] {
    return this.#rare.resizedBy;
  }

  get containers(): readonly ContainerRecord[] {
    return isList(this.#containers) ? this.#containers : [this.#containers];
  }

  get scheduling(): SchedulingFacts {
    return this.#shared.scheduling;
  }

  get pinnedNode(): string | null {
    return this.#rare.pinnedNode;
  }

  get initContainers(): PodRecord['initContainers'] {
    return this.#shared.initContainers;
  }

  get overhead(): PodRecord['overhead'] {
    return this.#shared.overhead;
  }
}

function isList(containers: ContainerRecord | readonly ContainerRecord[]): containers is readonly ContainerRecord[] {
  return Array.isArray(containers);
}
