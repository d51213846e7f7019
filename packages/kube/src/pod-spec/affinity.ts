// Node affinity, pod affinity and pod anti-affinity of a pod.

import {
  readLabelSelector,
  readNodeRequirements,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
  type OnUnknownOperator,
} from '../label-selector.ts';
import { numberAt, objectAt, objectsAt, optionalObjectAt, textAt, textsAt, type Wire } from '../wire.ts';

/** A NodeSelectorTerm of a pod or a volume. All requirements must match; an empty term matches nothing. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[];
  /** Only `metadata.name`. */
  readonly fields: readonly LabelRequirement[];
}

/** A PodAffinityTerm. */
export interface PodTerm {
  readonly topologyKey: string;
  /** null: it selects no pod. */
  readonly selector: LabelSelector | null;
  /** Empty with a null namespaceSelector: the pod's namespace. */
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | null;
}

/** A preferred term. */
export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

/** Node affinity of a pod. */
export interface NodeAffinity {
  /** At least one must match; null: no requirement. */
  readonly nodeTerms: readonly NodeTerm[] | null;
  readonly preferredNodeTerms: readonly Weighted<NodeTerm>[];
}

/** Pod affinity and anti-affinity of a pod. */
export interface PodAffinity {
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly preferredAffinity: readonly Weighted<PodTerm>[];
  readonly preferredAntiAffinity: readonly Weighted<PodTerm>[];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Parses the node affinity of a pod spec. @throws WireError */
export function readNodeAffinity(spec: Wire, onUnknown: OnUnknownOperator): NodeAffinity {
  const path = 'spec.affinity.nodeAffinity';
  const affinity = objectAt(objectAt(spec, 'affinity', 'spec.affinity'), 'nodeAffinity', path);
  const required = optionalObjectAt(affinity, REQUIRED, `${path}.${REQUIRED}`);
  return {
    nodeTerms: required === null ? null : readNodeTerms(required, `${path}.${REQUIRED}`, onUnknown),
    preferredNodeTerms: objectsAt(affinity, PREFERRED, `${path}.${PREFERRED}`).map((preferred) => ({
      weight: numberAt(preferred, 'weight', 0, `${path}.${PREFERRED}[].weight`),
      term: readNodeTerm(objectAt(preferred, 'preference'), `${path}.${PREFERRED}[].preference`, onUnknown),
    })),
  };
}

/** Parses the terms of a NodeSelector of a pod or a volume. @throws WireError */
export function readNodeTerms(selector: Wire, path: string, onUnknown: OnUnknownOperator): readonly NodeTerm[] {
  const terms = `${path}.nodeSelectorTerms`;
  return objectsAt(selector, 'nodeSelectorTerms', terms).map((term) => readNodeTerm(term, `${terms}[]`, onUnknown));
}

function readNodeTerm(term: Wire, path: string, onUnknown: OnUnknownOperator): NodeTerm {
  return {
    labels: readNodeRequirements(term, 'matchExpressions', path, onUnknown),
    fields: readNodeRequirements(term, 'matchFields', path, onUnknown),
  };
}

/** Parses the pod affinity of a pod spec. @param labels of the pod, for `matchLabelKeys`. @throws WireError */
export function readPodAffinity(spec: Wire, labels: Labels, onUnknown: OnUnknownOperator): PodAffinity {
  const affinity = objectAt(spec, 'affinity', 'spec.affinity');
  const together = readPodTerms(affinity, 'podAffinity', labels, onUnknown);
  const apart = readPodTerms(affinity, 'podAntiAffinity', labels, onUnknown);
  return {
    affinity: together.required,
    antiAffinity: apart.required,
    preferredAffinity: together.preferred,
    preferredAntiAffinity: apart.preferred,
  };
}

interface PodTerms {
  readonly required: readonly PodTerm[];
  readonly preferred: readonly Weighted<PodTerm>[];
}

function readPodTerms(affinity: Wire, key: 'podAffinity' | 'podAntiAffinity', labels: Labels, onUnknown: OnUnknownOperator): PodTerms {
  const path = `spec.affinity.${key}`;
  const part = objectAt(affinity, key, path);
  return {
    required: objectsAt(part, REQUIRED, `${path}.${REQUIRED}`).map((term) => readPodTerm(term, `${path}.${REQUIRED}[]`, labels, onUnknown)),
    preferred: objectsAt(part, PREFERRED, `${path}.${PREFERRED}`).map((preferred) => ({
      weight: numberAt(preferred, 'weight', 0, `${path}.${PREFERRED}[].weight`),
      term: readPodTerm(objectAt(preferred, 'podAffinityTerm'), `${path}.${PREFERRED}[].podAffinityTerm`, labels, onUnknown),
    })),
  };
}

function readPodTerm(term: Wire, path: string, labels: Labels, onUnknown: OnUnknownOperator): PodTerm {
  const namespaceSelector = optionalObjectAt(term, 'namespaceSelector', `${path}.namespaceSelector`);
  return {
    topologyKey: textAt(term, 'topologyKey', `${path}.topologyKey`),
    selector: readPodSelector(term, path, labels, onUnknown),
    namespaces: textsAt(term, 'namespaces', `${path}.namespaces`),
    namespaceSelector: namespaceSelector === null ? null : readLabelSelector(namespaceSelector, `${path}.namespaceSelector`, onUnknown),
  };
}

/** Parses the selector of a term or a spread constraint, with the pod's values of `matchLabelKeys` and `mismatchLabelKeys`. @throws WireError */
export function readPodSelector(wire: Wire, path: string, labels: Labels, onUnknown: OnUnknownOperator): LabelSelector | null {
  const selectorWire = optionalObjectAt(wire, 'labelSelector', `${path}.labelSelector`);
  if (selectorWire === null) return null;
  const selector = readLabelSelector(selectorWire, `${path}.labelSelector`, onUnknown);
  const podValues = (field: string, operator: 'In' | 'NotIn') =>
    textsAt(wire, field, `${path}.${field}`).flatMap((key) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...podValues('matchLabelKeys', 'In'), ...podValues('mismatchLabelKeys', 'NotIn')];
  return added.length === 0 ? selector : { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}
