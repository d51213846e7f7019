import type { ControllerPorts, Stop } from './controller-ports.ts';
import { isEqualJson } from '../api/json.ts';
import { controllerReference, keyOf, splitKey } from './object-key.ts';
import { watchKeys } from './owners/owner-watch.ts';
import { isReady, isTerminal, isTerminating } from './pods/pod-state.ts';
import { isSelectorMatch } from './selectors.ts';
import type { Pod } from './wire/pod.ts';
import type { Service, ServicePort } from './wire/service.ts';
import { WorkList } from './work-list.ts';

/** Default number of addresses per slice in a real cluster. */
const ADDRESSES_PER_SLICE = 100;
const MANAGER = 'endpointslice-controller.k8s.io';

interface Address {
  readonly ip: string;
  readonly pod: Pod;
  readonly ready: boolean;
}

/** Writes the pods of each service: EndpointSlices, and the older Endpoints that kubectl still shows. */
export function startEndpoints(ports: ControllerPorts): Stop {
  const { cluster, clock } = ports;
  const work = new WorkList(clock, (key) => reconcile(ports, key));
  const stops = [
    watchKeys(cluster, 'services', (key) => work.add(key)),
    cluster.onChange('pods', ({ type, object, previous }) => {
      const pod = object as Pod;
      if (type === 'MODIFIED' && previous !== undefined && !hasMoved(pod, previous as Pod)) return;
      for (const service of cluster.list('services', { namespace: pod.metadata.namespace ?? '' }) as readonly Service[]) {
        const isBehind = (labels: Record<string, string> | undefined): boolean => isSelectorMatch(selectorOf(service), labels);
        if (isBehind(pod.metadata.labels) || isBehind(previous?.metadata.labels)) work.add(keyOf(service));
      }
    }),
  ];
  return work.stopAfter(stops);
}

/** The fields of a pod that a service depends on. Other changes (usage, resizes) do not affect traffic. */
function hasMoved(pod: Pod, before: Pod): boolean {
  const view = (each: Pod): unknown => [
    each.metadata.labels,
    each.status.podIP,
    isReady(each),
    isTerminal(each),
    isTerminating(each),
    each.spec.nodeName,
  ];
  return !isEqualJson(view(pod), view(before));
}

function selectorOf({ spec }: Service): { matchLabels: Record<string, string> } | null {
  return spec.selector === undefined || Object.keys(spec.selector).length === 0 ? null : { matchLabels: spec.selector };
}

function reconcile(ports: ControllerPorts, key: string): void {
  const { cluster } = ports;
  const { namespace, name } = splitKey(key);
  const service = cluster.get('services', namespace, name) as Service | undefined;
  if (service === undefined) {
    cluster.delete('endpoints', namespace, name);
    return; // the slices are deleted with their owner
  }
  const selector = selectorOf(service);
  if (selector === null || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return;
  const pods = cluster.list('pods', { namespace, selector }) as readonly Pod[];
  const addresses = pods.flatMap((pod) => addressOf(pod, service));
  writeEndpoints(ports, service, addresses);
  writeSlices(ports, service, addresses);
}

function addressOf(pod: Pod, service: Service): Address[] {
  const ip = pod.status.podIP ?? '';
  if (ip === '' || isTerminal(pod)) return [];
  const ready = (isReady(pod) || service.spec.publishNotReadyAddresses === true) && !isTerminating(pod);
  return [{ ip, pod, ready }];
}

function writeEndpoints({ cluster }: ControllerPorts, service: Service, addresses: readonly Address[]): void {
  const { name, namespace = '' } = service.metadata;
  const shown = (ready: boolean): object[] =>
    addresses.filter((each) => each.ready === ready && !isTerminating(each.pod)).map(endpointAddress);
  const ready = shown(true);
  const notReady = shown(false);
  const ports = (service.spec.ports ?? []).map((port) => ({
    ...(port.name === undefined ? {} : { name: port.name }),
    port: targetPortOf(port, addresses[0]?.pod),
    protocol: port.protocol ?? 'TCP',
  }));
  const lists = { ...(ready.length === 0 ? {} : { addresses: ready }), ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }) };
  const subsets = ready.length + notReady.length === 0 ? [] : [{ ...lists, ...(ports.length === 0 ? {} : { ports }) }];
  const existing = cluster.get('endpoints', namespace, name);
  if (existing === undefined) {
    cluster.create('endpoints', {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name, namespace, ...(service.metadata.labels === undefined ? {} : { labels: service.metadata.labels }) },
      subsets,
    });
  } else if (!isEqualJson(existing['subsets'] ?? [], subsets)) {
    cluster.modify('endpoints', namespace, name, (draft) => {
      draft['subsets'] = subsets;
    });
  }
}

function writeSlices({ cluster }: ControllerPorts, service: Service, addresses: readonly Address[]): void {
  const { name, namespace = '' } = service.metadata;
  const resource = 'endpointslices.discovery.k8s.io';
  const count = Math.max(1, Math.ceil(addresses.length / ADDRESSES_PER_SLICE));
  for (let index = 0; index < count; index += 1) {
    const part = addresses.slice(index * ADDRESSES_PER_SLICE, (index + 1) * ADDRESSES_PER_SLICE);
    const endpoints = part.map(sliceEndpoint);
    const ports = (service.spec.ports ?? []).map((port) => ({
      name: port.name ?? '',
      port: targetPortOf(port, part[0]?.pod),
      protocol: port.protocol ?? 'TCP',
    }));
    const sliceName = sliceNameOf(name, index);
    const existing = cluster.get(resource, namespace, sliceName);
    if (existing === undefined) {
      cluster.create(resource, {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: sliceName,
          namespace,
          labels: { ...service.metadata.labels, 'kubernetes.io/service-name': name, 'endpointslice.kubernetes.io/managed-by': MANAGER },
          ownerReferences: [controllerReference(service)],
        },
        addressType: 'IPv4',
        endpoints,
        ports,
      });
    } else if (!isEqualJson([existing['endpoints'] ?? [], existing['ports'] ?? []], [endpoints, ports])) {
      cluster.modify(resource, namespace, sliceName, (draft) => {
        draft['endpoints'] = endpoints;
        draft['ports'] = ports;
      });
    }
  }
  for (let index = count; cluster.get(resource, namespace, sliceNameOf(name, index)) !== undefined; index += 1) {
    cluster.delete(resource, namespace, sliceNameOf(name, index));
  }
}

function sliceNameOf(service: string, index: number): string {
  return `${service}-${String(index)}`;
}

/** A named port is resolved in `pod`, one pod of the service; all its pods are assumed to use the same number. */
function targetPortOf({ port, targetPort }: ServicePort, pod: Pod | undefined): number {
  if (typeof targetPort === 'number') return targetPort;
  if (targetPort === undefined || targetPort === '') return port;
  const named = pod?.spec.containers.flatMap((container) => container.ports ?? []).find(({ name }) => name === targetPort);
  return named?.containerPort ?? port;
}

function targetRef({ metadata }: Pod): object {
  return { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid };
}

function endpointAddress({ ip, pod }: Address): object {
  const { nodeName } = pod.spec;
  return { ip, ...(nodeName === undefined ? {} : { nodeName }), targetRef: targetRef(pod) };
}

function sliceEndpoint({ ip, pod, ready }: Address): object {
  const { nodeName } = pod.spec;
  return {
    addresses: [ip],
    conditions: { ready, serving: isReady(pod), terminating: isTerminating(pod) },
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: targetRef(pod),
  };
}
