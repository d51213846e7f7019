// Rules of single parts of a pod's spec that its schema cannot say.

import { isObject } from '#kube/json';
import type { FieldError } from '../../api/api-error.ts';
import type { PodSpec, WireContainer } from '../../controllers/wire/pod.ts';
import { duplicate, forbiddenField, invalidValue, required } from '../field-errors.ts';

type Part = Readonly<Record<string, unknown>>;

export function variableErrors(container: WireContainer, field: string): FieldError[] {
  return partsOf(container['env' as never]).flatMap(({ name }, index) =>
    name === '' ? [required(`${field}.env[${String(index)}].name`)] : [],
  );
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;

/** A probe does one thing. */
export function probeErrors(container: WireContainer, field: string): FieldError[] {
  return PROBES.flatMap((name) => {
    const probe: unknown = container[name as never];
    if (!isObject(probe)) return [];
    const [first, ...others] = HANDLERS.filter((handler) => probe[handler] !== undefined);
    if (first === undefined) return [required(`${field}.${name}`, 'must specify a handler type')];
    return others.map((handler) => forbiddenField(`${field}.${name}.${handler}`, 'may not specify more than 1 handler type'));
  });
}

/** Volumes have names of their own, and one source each; of several, all but the first in Kubernetes' order are too many. */
export function volumeErrors(spec: PodSpec, root: string): FieldError[] {
  const volumes = partsOf(spec.volumes);
  return volumes.flatMap((volume, index) => {
    const field = `${root}.volumes[${String(index)}]`;
    const sources = Object.keys(volume).filter((name) => name !== 'name' && volume[name] !== undefined);
    const surplus = sources.sort((a, b) => sourceRank(a) - sourceRank(b)).slice(1);
    const isRepeated = volumes.slice(0, index).some(({ name }) => name === volume['name']);
    return [
      ...surplus.map((source) => forbiddenField(`${field}.${source}`, 'may not specify more than 1 volume type')),
      ...(isRepeated ? [duplicate(`${field}.name`, volume['name'])] : []),
    ];
  });
}

/** Those that anybody uses; the order of the others among each other does not matter. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'secret',
  'nfs',
  'persistentVolumeClaim',
  'downwardAPI',
  'configMap',
  'projected',
  'csi',
  'ephemeral',
];

function sourceRank(source: string): number {
  const rank = SOURCES.indexOf(source);
  return rank < 0 ? SOURCES.length : rank;
}

export function tolerationErrors(spec: PodSpec, root: string): FieldError[] {
  return partsOf(spec.tolerations).flatMap(({ operator, value, effect, tolerationSeconds }, index) => {
    const field = `${root}.tolerations[${String(index)}]`;
    const hasValue = operator === 'Exists' && typeof value === 'string' && value !== '';
    return [
      ...(hasValue ? [invalidValue(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'")] : []),
      ...(tolerationSeconds !== undefined && effect !== 'NoExecute'
        ? [invalidValue(`${field}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set")]
        : []),
    ];
  });
}

export function spreadErrors(spec: PodSpec, root: string): FieldError[] {
  return partsOf(spec['topologySpreadConstraints']).flatMap(({ maxSkew }, index) =>
    typeof maxSkew === 'number' && maxSkew < 1
      ? [invalidValue(`${root}.topologySpreadConstraints[${String(index)}].maxSkew`, maxSkew, 'must be greater than zero')]
      : [],
  );
}

function partsOf(list: unknown): readonly Part[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
