import { isObject } from '#kube/json';
import { isIP } from 'node:net';
import type { FieldError } from '../../api/api-error.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { ResourceStrategy, StrategyContext } from '../../api/strategy.ts';
import type { Service, ServicePort } from '../../controllers/wire/service.ts';
import { labelFaults } from '../../api/verbs/name-rules.ts';
import { duplicate, invalidValue, required } from '../field-errors.ts';
import { NODE_PORT_RANGE, freeClusterIp, freeNodePort, isNodePort, takenAddresses } from './service-addresses.ts';

export const serviceStrategy: ResourceStrategy = {
  prepareForCreate(draft, context) {
    draft['status'] = { loadBalancer: {} };
    allocate(draft, undefined, context);
  },
  prepareForUpdate(draft, old, context, subresource) {
    if (subresource === '') allocate(draft, old as Service, context);
  },
  validate(object, old, context, subresource) {
    if (subresource === 'status') return [];
    if (object['spec'] === undefined) return [required('spec')];
    const service = object as Service;
    return [...portErrors(service), ...addressErrors(service, old as Service | null, context)];
  },
};

/** What a client left open is drawn; what it had before stays. */
function allocate(draft: KubeObject, old: Service | undefined, { cluster }: StrategyContext): void {
  if (!isObject(draft['spec'])) return;
  const { spec } = draft as Service;
  if (spec.type === 'ExternalName') {
    delete spec.clusterIP;
    delete spec.clusterIPs;
    return;
  }
  const others = (cluster.list('services') as readonly Service[]).filter(({ metadata }) => metadata.uid !== draft.metadata.uid);
  const taken = takenAddresses(others);
  const name = `${draft.metadata.namespace ?? ''}/${draft.metadata.name}`;
  setAddress(spec, stated(spec.clusterIP) ?? stated(old?.spec.clusterIP) ?? freeClusterIp(name, taken.addresses));
  if ((spec.type ?? 'ClusterIP') === 'ClusterIP') return;
  spec.externalTrafficPolicy ??= 'Cluster';
  if (Array.isArray(spec.ports) && spec.ports.every(isObject)) allocateNodePorts(spec.ports, old?.spec.ports ?? [], name, taken.ports);
}

function setAddress(spec: Service['spec'], address: string | undefined): void {
  if (address !== undefined) {
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }
  spec.ipFamilies ??= ['IPv4'];
  spec.ipFamilyPolicy ??= 'SingleStack';
}

function allocateNodePorts(ports: readonly ServicePort[], old: readonly ServicePort[], name: string, taken: Set<number>): void {
  for (const port of ports) {
    if (port.nodePort !== undefined && port.nodePort !== 0) continue;
    const before = old.find((each) => each.port === port.port && (each.protocol ?? 'TCP') === (port.protocol ?? 'TCP'));
    const drawn = before?.nodePort ?? freeNodePort(`${name}/${String(port.port)}`, taken);
    if (drawn === undefined) continue;
    port.nodePort = drawn;
    taken.add(drawn);
  }
}

function stated(address: string | undefined): string | undefined {
  return address === '' ? undefined : address;
}

function portErrors({ spec }: Service): FieldError[] {
  const ports = spec.ports ?? [];
  const errors: FieldError[] = [];
  if (ports.length === 0 && spec.clusterIP !== 'None' && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  const seen = new Set<string>();
  for (const [index, { name, port, protocol = 'TCP', nodePort, targetPort }] of ports.entries()) {
    const at = `spec.ports[${String(index)}]`;
    if (ports.length > 1 && (name ?? '') === '') errors.push(required(`${at}.name`));
    if (port < 1 || port > 65_535) errors.push(invalidValue(`${at}.port`, port, 'must be between 1 and 65535, inclusive'));
    errors.push(...portNameErrors(`${at}.name`, name, ports.slice(0, index)), ...targetErrors(`${at}.targetPort`, targetPort));
    if (seen.has(`${protocol}/${String(port)}`)) errors.push(duplicate(at, { port, protocol }));
    seen.add(`${protocol}/${String(port)}`);
    if (nodePort !== undefined && nodePort !== 0 && !isNodePort(nodePort)) {
      const why = `provided port is not in the valid range. The range of valid ports is ${NODE_PORT_RANGE}`;
      errors.push(invalidValue(`${at}.nodePort`, nodePort, why));
    }
  }
  return errors;
}

function portNameErrors(field: string, name: string | undefined, before: readonly ServicePort[]): FieldError[] {
  if (name === undefined || name === '') return [];
  const faults = labelFaults(name).map((fault) => invalidValue(field, name, fault));
  return before.some((port) => port.name === name) ? [...faults, duplicate(field, name)] : faults;
}

/** A number, or the name of a container's port. */
function targetErrors(field: string, target: number | string | undefined): FieldError[] {
  if (typeof target !== 'number' || (target >= 1 && target <= 65_535)) return [];
  return [invalidValue(field, target, 'must be between 1 and 65535, inclusive')];
}

function addressErrors(service: Service, old: Service | null, { cluster }: StrategyContext): FieldError[] {
  const { clusterIP, type, externalName } = service.spec;
  if (type === 'ExternalName') return (externalName ?? '') === '' ? [required('spec.externalName')] : [];
  const before = old?.spec.clusterIP;
  if (before !== undefined && before !== clusterIP) return [invalidValue('spec.clusterIPs[0]', [clusterIP], 'may not change once set')];
  const others = (cluster.list('services') as readonly Service[]).filter(({ metadata }) => metadata.uid !== service.metadata.uid);
  if (clusterIP !== undefined && clusterIP !== 'None' && isIP(clusterIP) === 0)
    return [invalidValue('spec.clusterIPs[0]', clusterIP, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  const isTaken = clusterIP !== undefined && clusterIP !== 'None' && takenAddresses(others).addresses.has(clusterIP);
  return isTaken ? [invalidValue('spec.clusterIPs', [clusterIP], 'provided IP is already allocated')] : [];
}
