import { isObject } from '#kube/json';
import type { PodSpec } from '../../controllers/wire/pod.ts';
import { placedContainers } from './pod-containers.ts';

/**
 * Whether a spec has the shape that the defaulting relies on, before its schema is applied. Otherwise it is left unchanged, and the schema
 * refuses it with a better message.
 */
export function hasPodShape(spec: unknown): spec is PodSpec {
  if (!isObject(spec)) return false;
  const lists = ['containers', 'initContainers', 'tolerations', 'volumes'].map((field) => spec[field]);
  if (!lists.every(isRecordsOrAbsent)) return false;
  if (!['serviceAccountName', 'serviceAccount', 'priorityClassName'].every((field) => isTextOrAbsent(spec[field]))) return false;
  if (spec['resources'] !== undefined && !isResourceRequirements(spec['resources'])) return false;
  return placedContainers(spec as unknown as PodSpec).every(
    ({ container }) => isResourceRequirements(container.resources) && isRecordsOrAbsent(container.resizePolicy),
  );
}

function isResourceRequirements(resources: unknown): boolean {
  if (resources === undefined) return true;
  return isObject(resources) && [resources['requests'], resources['limits']].every((list) => list === undefined || isAmounts(list));
}

/** Numbers are quantities too: YAML writes `cpu: 1`. */
function isAmounts(list: unknown): boolean {
  return isObject(list) && Object.values(list).every((amount) => typeof amount === 'string' || typeof amount === 'number');
}

function isRecordsOrAbsent(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every(isObject));
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
