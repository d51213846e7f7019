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

/** What a node affinity asks of a node, of pods and of volumes alike. All requirements must hold; a term without any matches nothing. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[];
  /** `metadata.name` alone. */
  readonly fields: readonly LabelRequirement[];
}

export interface PodTerm {
  readonly topologyKey: string;
  /** null: it selects no pod. */
  readonly selector: LabelSelector | null;
  /** Empty with a null namespaceSelector: the pod's own namespace. */
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | null;
}

export interface Weighted<T> {
  readonly weight: number;
  readonly term: T;
}

export interface NodeAffinity {
  /** Any of them must match; null: no requirement. */
  readonly nodeTerms: readonly NodeTerm[] | null;
  readonly preferredNodeTerms: readonly Weighted<NodeTerm>[];
}

export interface PodAffinity {
  readonly affinity: readonly PodTerm[];
  readonly antiAffinity: readonly PodTerm[];
  readonly preferredAffinity: readonly Weighted<PodTerm>[];
  readonly preferredAntiAffinity: readonly Weighted<PodTerm>[];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** @throws WireError */
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

/** The terms of a NodeSelector, of a pod or of a volume. @throws WireError */
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

/** @param labels of the pod: `matchLabelKeys` refer to them. @throws WireError */
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

/** The selector of a term or a spread constraint, with the pod's own value of each of its `matchLabelKeys` and `mismatchLabelKeys`. @throws WireError */
export function readPodSelector(wire: Wire, path: string, labels: Labels, onUnknown: OnUnknownOperator): LabelSelector | null {
  const given = optionalObjectAt(wire, 'labelSelector', `${path}.labelSelector`);
  if (given === null) return null;
  const selector = readLabelSelector(given, `${path}.labelSelector`, onUnknown);
  const ownValues = (field: string, operator: 'In' | 'NotIn') =>
    textsAt(wire, field, `${path}.${field}`).flatMap((key) => {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...ownValues('matchLabelKeys', 'In'), ...ownValues('mismatchLabelKeys', 'NotIn')];
  return added.length === 0 ? selector : { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}
