import { booleanAt, numberAt, objectsAt, optionalNumberAt, textAt, type Wire } from '../wire.ts';

/** A host port; two pods of a node cannot have the same. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** Parses the host ports of sidecars and main containers; the scheduler ignores those of plain init containers. @throws WireError */
export function readHostPorts(spec: Wire): readonly HostPort[] {
  const hostNetwork = booleanAt(spec, 'hostNetwork', false, 'spec.hostNetwork');
  const sidecars = objectsAt(spec, 'initContainers', 'spec.initContainers').filter((container) => container['restartPolicy'] === 'Always');
  return [...sidecars, ...objectsAt(spec, 'containers', 'spec.containers')].flatMap((container) =>
    objectsAt(container, 'ports', 'spec.containers[].ports').flatMap((port): HostPort[] => {
      const path = 'spec.containers[].ports[]';
      const stated = optionalNumberAt(port, 'hostPort', `${path}.hostPort`);
      const number = stated ?? (hostNetwork ? numberAt(port, 'containerPort', 0, `${path}.containerPort`) : 0);
      if (number === 0) return [];
      const protocol = textAt(port, 'protocol', `${path}.protocol`);
      const ip = textAt(port, 'hostIP', `${path}.hostIP`);
      return [{ port: number, protocol: protocol === '' ? 'TCP' : protocol, ip: ip === '' ? '0.0.0.0' : ip }];
    }),
  );
}
