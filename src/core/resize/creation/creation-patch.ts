// The JSON patch that sets a pod's size at creation: amounts of CPU and memory that differ, and annotations with the template's values and
// the boost.

import { POD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { RequestsAndLimits } from '#kube/records/resources';
import { writeQuantities } from '../../recommendations/quantities.ts';
import { FIELD, RESOURCES, type Values } from '../model/container-values.ts';
import { writeBoostAtCreation } from '../layers/start-up/boost-at-creation.ts';
import type { SizeAtCreation } from './size-at-creation.ts';

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** A container with its position in the pod. */
export interface PlacedContainer extends RequestsAndLimits {
  readonly name: string;
  /** `/spec/containers/0` */
  readonly path: string;
  /** Which of `resources`, `resources.requests` and `resources.limits` exist as objects. */
  readonly has: { readonly resources: boolean; readonly requests: boolean; readonly limits: boolean };
}

/** The operations of the patch; empty where the pod is not changed. @param hasAnnotations whether `metadata.annotations` is an object */
export function creationPatch(
  containers: readonly PlacedContainer[],
  { values, usual }: SizeAtCreation,
  hasAnnotations: boolean,
): readonly PatchOperation[] {
  const operations = containers.flatMap((container) => {
    const to = values.get(container.name);
    return to === undefined ? [] : amountsPatch(container, to);
  });
  if (operations.length === 0) return [];
  const annotations: [string, string][] = [[POD_ANNOTATIONS.sizeAtCreation, originals(containers, values)]];
  if (usual.size > 0) annotations.push([POD_ANNOTATIONS.startUp, writeBoostAtCreation(usual, pick(values, usual))]);
  return [
    ...operations,
    ...(hasAnnotations ? [] : [{ op: 'add', path: '/metadata/annotations', value: {} } as const]),
    ...annotations.map(([name, value]) => ({ op: 'add', path: `/metadata/annotations/${name.replaceAll('/', '~1')}`, value }) as const),
  ];
}

function amountsPatch({ path, has, requests, limits }: PlacedContainer, to: RequestsAndLimits): PatchOperation[] {
  const operations: PatchOperation[] = has.resources ? [] : [{ op: 'add', path: `${path}/resources`, value: {} }];
  for (const [part, from] of [
    ['requests', requests],
    ['limits', limits],
  ] as const) {
    const partOperations: PatchOperation[] = [];
    const written = writeQuantities(to[part]);
    for (const resource of RESOURCES) {
      const [before, after] = [from[FIELD[resource]], to[part][FIELD[resource]]];
      if (before === after) continue;
      const at = `${path}/resources/${part}/${resource}`;
      if (after === null) partOperations.push({ op: 'remove', path: at });
      else partOperations.push({ op: 'add', path: at, value: written[resource] });
    }
    if (partOperations.length > 0 && !has[part]) operations.push({ op: 'add', path: `${path}/resources/${part}`, value: {} });
    operations.push(...partOperations);
  }
  return operations;
}

/** The template's values of the changed containers: kubectl shows them, and an uninstall restores them. */
function originals(containers: readonly PlacedContainer[], values: Values): string {
  const entries = containers
    .filter(({ name }) => values.has(name))
    .map(({ name, requests, limits }) => [name, { requests: writeQuantities(requests), limits: writeQuantities(limits) }] as const);
  return JSON.stringify(Object.fromEntries(entries));
}

function pick(values: Values, names: Values): Values {
  return new Map([...values].filter(([name]) => names.has(name)));
}
