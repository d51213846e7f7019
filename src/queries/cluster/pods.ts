import type { Operations, Pod, PodContainer } from '../../apis/http/types.generated.ts';
import type { ContainerRecord, PodRecord } from '#kube/records/pod';
import { sumIfAllKnown, sumKnown, UNSET_RESOURCES, type OptionalResources } from '#kube/records/resources';
import { isoTime, isoTimeOrNull } from '#kube/time/iso-time';
import { KeptList, pageOnly, type Fields, type KeptListing } from '../lists/kept-list.ts';
import { Slices } from '../lists/slices.ts';
import { RecordCache } from '../record-cache.ts';
import { fieldOf, type SortValue } from '../listing.ts';
import { podUsage } from './pod-usage.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import type { Page } from '../outcome.ts';
import { wholeResources } from '../ratios.ts';
import type { Instant } from '#kube/units';
import type { Scope } from '../../core/access/scope.ts';
import type { ReadSources } from '../sources.ts';
import { VIEWER_OF_LISTED } from '../../core/access/requirement.ts';
import { defineQuery } from '../query.ts';

/** `/pods`. */
export class PodQueries {
  readonly #sources: ReadSources;
  readonly #records = new RecordCache<Pod>();

  readonly #listing: KeptListing<PodRecord> = {
    id: (pod) => `${pod.namespace}/${pod.name}`,
    namespaceOf: (pod) => pod.namespace,
    namesOf: (pod) => [pod.name],
    defaultSort: 'namespace',
    filters: ['phase', 'qosClass', 'node'],
    sortValue: (pod, field) => this.#sortValue(pod, field),
    all: () => this.#sources.cluster.pods(),
    find: (id) => this.#find(id),
    follow: (changed, fields) => {
      const { cluster, usage } = this.#sources;
      changed.follow(cluster, (change) => (change.kind === 'pod' ? change.key : null));
      if (fields.has('used')) changed.follow(usage.changes, (change) => (change.kind === 'pod' ? change.key : null));
    },
    shared: (fields) => (fields.has('used') ? [this.#sources.usage.problem()] : []),
    until: (pod, fields) => this.#until(pod, fields),
    now: () => this.#sources.clock.now(),
  };
  readonly #list: KeptList<PodRecord>;

  constructor(sources: ReadSources, slices = new Slices()) {
    this.#sources = sources;
    this.#list = new KeptList(this.#listing, slices);
  }

  /** Filters and sorts the informers' pods; records are built only for the page, for 100 of 150,000 pods. */
  async list(scope: Scope, query: Operations['listPods']['query']): Promise<Page<Pod> | Refusal> {
    const page = await this.#list.page(query, scope);
    return page.kind === 'page' ? { ...pageOnly(page), items: page.items.map((pod) => this.#cachedRecord(pod)) } : page;
  }

  #find(id: string): PodRecord | undefined {
    const slash = id.indexOf('/');
    return this.#sources.cluster.findPod(id.slice(0, slash), id.slice(slash + 1));
  }

  /** Usage ends with its age. */
  #until({ namespace, name, containers }: PodRecord, fields: Fields): Instant {
    let until = Number.POSITIVE_INFINITY;
    if (!fields.has('used')) return until;
    for (const container of containers) {
      until = Math.min(until, this.#sources.usage.containerUsage(namespace, name, container.name)?.until ?? until);
    }
    return until;
  }

  #cachedRecord(pod: PodRecord): Pod {
    const { cluster, usage } = this.#sources;
    const used = pod.containers.flatMap(({ name }) => {
      const current = usage.containerUsage(pod.namespace, pod.name, name);
      return [current?.cpuMillicores, current?.memoryBytes];
    });
    return this.#records.of(pod, [cluster.workloadOf(pod), ...used], () => this.#record(pod));
  }

  /** Builds only the part of the record that has the field: complete records of 150,000 pods take half a second. */
  #sortValue(pod: PodRecord, field: string): SortValue {
    const [part] = field.split('.', 1);
    switch (part) {
      case 'restarts':
        return restartsOf(pod);
      case 'workload':
        return fieldOf({ workload: this.#sources.cluster.workloadOf(pod) }, field);
      case 'requests':
        return fieldOf({ requests: requestsOf(pod) }, field);
      case 'limits':
        return fieldOf({ limits: limitsOf(pod) }, field);
      case 'used':
        return fieldOf({ used: wholeResources(this.#used(pod)) }, field);
      default:
        return fieldOf(pod, field);
    }
  }

  #used(pod: PodRecord): OptionalResources {
    return podUsage(pod, (container) => this.#sources.usage.containerUsage(pod.namespace, pod.name, container));
  }

  #record(pod: PodRecord): Pod {
    const { cluster, usage } = this.#sources;
    const workload = cluster.workloadOf(pod);
    const usageOf = (container: string): OptionalResources | null => usage.containerUsage(pod.namespace, pod.name, container);
    return {
      namespace: pod.namespace,
      name: pod.name,
      workload: workload === undefined ? null : { namespace: workload.namespace, kind: workload.kind, name: workload.name },
      node: pod.node,
      phase: pod.phase,
      ready: pod.ready,
      restarts: restartsOf(pod),
      qosClass: pod.qosClass,
      createdAt: isoTime(pod.createdAt),
      requests: requestsOf(pod),
      limits: limitsOf(pod),
      used: wholeResources(this.#used(pod)),
      resize: { state: pod.resize.state, message: pod.resize.message },
      ip: pod.ip,
      containers: pod.containers.map((container) => containerRecord(container, usageOf(container.name))),
    };
  }
}

function restartsOf(pod: PodRecord): number {
  return pod.containers.reduce((sum, container) => sum + container.restarts, 0);
}

/** Sum over the containers that have a request. */
function requestsOf(pod: PodRecord): OptionalResources {
  return sumKnown(pod.containers.map((container) => container.requests));
}

function limitsOf(pod: PodRecord): OptionalResources {
  return sumIfAll(pod.containers.map((container) => container.limits));
}

function containerRecord(container: ContainerRecord, used: OptionalResources | null): PodContainer {
  const { lastTermination: last } = container;
  return {
    name: container.name,
    sidecar: container.sidecar,
    state: container.state,
    waitingReason: container.waitingReason,
    ready: container.ready,
    restarts: container.restarts,
    requests: container.requests,
    limits: container.limits,
    actual: container.actual === null ? null : { requests: container.actual.requests, limits: container.actual.limits },
    used: wholeResources(used ?? UNSET_RESOURCES),
    lastTermination: last === null ? null : { reason: last.reason, exitCode: last.exitCode, finishedAt: isoTimeOrNull(last.finishedAt) },
  };
}

/** null for a resource where any container has no value: one container without a limit leaves the pod without one. */
function sumIfAll(all: readonly OptionalResources[]): OptionalResources {
  const sum = (amounts: readonly (number | null)[]): number | null => (amounts.length === 0 ? null : sumIfAllKnown(amounts));
  return { cpuMillicores: sum(all.map(({ cpuMillicores }) => cpuMillicores)), memoryBytes: sum(all.map(({ memoryBytes }) => memoryBytes)) };
}

export const listPods = defineQuery({
  requires: VIEWER_OF_LISTED,
  answer: ({ pods }: { readonly pods: PodQueries }, scope, query: Operations['listPods']['query']) => pods.list(scope, query),
});
