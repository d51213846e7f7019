// Parts of a policy and annotations of a workload that match nothing, each with a suggestion where a name is similar.

import { PREFIX, OBJECT_ANNOTATIONS, WORKLOAD_ANNOTATIONS } from '../../../apis/annotations.ts';
import type { PodResizePolicySpec } from '../../../apis/v1alpha1/index.ts';
import { isLabelSelectorMatch } from '#kube/match-labels';
import type { WorkloadRecord } from '#kube/records/workload';
import type { NamespaceRecord } from '../../model/cluster-records.ts';
import { findNearest } from '../../model/names/find-nearest.ts';
import { isGlobMatch } from '../../model/names/glob.ts';
import type { WorkloadOverrides } from './workload-overrides.ts';

/** Bounds the work where a policy lists many names. */
const MAX_REPORTED = 8;

/** The objects that a policy may select. */
export interface Selected {
  readonly namespaces: readonly Pick<NamespaceRecord, 'name' | 'labels'>[];
  /** Whether the policy selects a workload, one that another policy governs included. */
  readonly hasWorkload: boolean;
  /** Names of the containers of the selected workloads and of their pods, which may have injected ones. */
  readonly containers: () => Iterable<string>;
}

/** Messages about selectors and container names of a policy that match nothing, for example `spec.namespaces[0]: no namespace matches shopp; did you mean shop?`. */
export function listUnmatched(spec: PodResizePolicySpec, { namespaces, hasWorkload, containers }: Selected): readonly string[] {
  const names = namespaces.map(({ name }) => name);
  const listed = (['namespaces', 'excludeNamespaces'] as const).flatMap((field) =>
    (spec[field] ?? []).flatMap((glob, index) => unmatchedName(`spec.${field}[${index}]`, 'namespace', glob, names)),
  );
  const { namespaceSelector } = spec;
  const hasNamespace = namespaceSelector === undefined || namespaces.some(({ labels }) => isLabelSelectorMatch(namespaceSelector, labels));
  const selectors = hasNamespace ? [] : ['spec.namespaceSelector: no namespace has these labels'];
  // Where no workload is selected, every container name would be reported besides the selector.
  if (!hasWorkload) {
    const nothing = listed.length + selectors.length > 0 ? [] : [`${selectingFields(spec)}: no workload is selected`];
    return [...listed, ...selectors, ...nothing].slice(0, MAX_REPORTED);
  }
  const containerNames = spec.containers === undefined ? [] : [...new Set(containers())];
  const overrides = (spec.containers ?? []).flatMap(({ name }, index) =>
    unmatchedName(`spec.containers[${index}].name`, 'container', name, containerNames),
  );
  return [...listed, ...selectors, ...overrides].slice(0, MAX_REPORTED);
}

function unmatchedName(path: string, what: 'namespace' | 'container', glob: string, names: readonly string[]): readonly string[] {
  if (names.some((name) => isGlobMatch({ text: glob }, name))) return [];
  return [`${path}: no ${what} matches ${glob}${suggestion(findNearest(glob, names))}`];
}

function suggestion(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function selectingFields(spec: PodResizePolicySpec): string {
  const fields = (['namespaces', 'namespaceSelector', 'kinds', 'workloadSelector', 'excludeNamespaces'] as const).filter(
    (field) => spec[field] !== undefined,
  );
  return fields.length === 0 ? 'spec' : fields.map((field) => `spec.${field}`).join(', ');
}

const KNOWN_ANNOTATIONS: readonly string[] = [...Object.values(WORKLOAD_ANNOTATIONS), OBJECT_ANNOTATIONS.suppressAlerts];

/**
 * Messages about annotations of Evenkeel's prefix that it does not read, and about bounds for containers that the workload does not have.
 * @param containers names of the containers of the workload and of its pods
 */
export function listUnmatchedAnnotations(
  annotations: WorkloadRecord['annotations'],
  { floor, ceiling }: Pick<WorkloadOverrides, 'floor' | 'ceiling'>,
  containers: () => Iterable<string>,
): readonly string[] {
  const unknown = Object.keys(annotations)
    .filter((name) => name.startsWith(PREFIX) && !KNOWN_ANNOTATIONS.includes(name))
    .map((name) => `${name} is not an annotation of a workload and has no effect${suggestion(findNearest(name, KNOWN_ANNOTATIONS))}`);
  if (floor.size === 0 && ceiling.size === 0) return unknown.slice(0, MAX_REPORTED);
  const names = [...new Set(containers())];
  const bounds = [
    [WORKLOAD_ANNOTATIONS.floor, floor],
    [WORKLOAD_ANNOTATIONS.ceiling, ceiling],
  ] as const;
  const misplaced = bounds.flatMap(([annotation, byContainer]) =>
    [...byContainer.keys()]
      .filter((name) => name !== '*' && !names.includes(name))
      .map(
        (name) => `${annotation}: the workload has no container ${name.slice(0, 63)}${suggestion(findNearest(name.slice(0, 63), names))}`,
      ),
  );
  return [...unknown, ...misplaced].slice(0, MAX_REPORTED);
}
