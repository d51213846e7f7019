import { isObject } from '#kube/json';
import type { PodSpec } from '../../controllers/wire/pod.ts';
import { placedContainers } from './pod-containers.ts';

/**
 * Whether a spec that its schema has not seen yet has the shape that the defaults rely on. What has not is left as it came:
 * the schema refuses it in better words.
 */
export function hasPodShape(spec: unknown): spec is PodSpec {
  if (!isObject(spec)) return false;
  const lists = ['containers', 'initContainers', 'tolerations', 'volumes'].map((field) => spec[field]);
  if (!lists.every(isRecordsOrAbsent)) return false;
  if (!['serviceAccountName', 'serviceAccount', 'priorityClassName'].every((field) => isTextOrAbsent(spec[field]))) return false;
  if (spec['resources'] !== undefined && !areResources(spec['resources'])) return false;
  return placedContainers(spec as unknown as PodSpec).every(
    ({ container }) => areResources(container.resources) && isRecordsOrAbsent(container.resizePolicy),
  );
}

function areResources(resources: unknown): boolean {
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
