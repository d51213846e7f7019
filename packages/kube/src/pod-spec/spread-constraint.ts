import { readPodSelector } from './affinity.ts';
import type { Labels, LabelSelector, OnUnknownOperator } from '../label-selector.ts';
import { numberAt, objectsAt, textAt, type Wire } from '../wire.ts';

/** A topology spread constraint. */
export interface SpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly hard: boolean;
  readonly selector: LabelSelector | null;
  readonly minDomains: number;
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

/** Parses topology spread constraints. @param labels of the pod, for `matchLabelKeys`. @throws WireError */
export function readSpreadConstraints(spec: Wire, labels: Labels, onUnknown: OnUnknownOperator): readonly SpreadConstraint[] {
  const path = 'spec.topologySpreadConstraints';
  return objectsAt(spec, 'topologySpreadConstraints', path).map((constraint) => ({
    maxSkew: numberAt(constraint, 'maxSkew', 1, `${path}[].maxSkew`),
    topologyKey: textAt(constraint, 'topologyKey', `${path}[].topologyKey`),
    hard: textAt(constraint, 'whenUnsatisfiable', `${path}[].whenUnsatisfiable`) !== 'ScheduleAnyway',
    selector: readPodSelector(constraint, `${path}[]`, labels, onUnknown),
    minDomains: numberAt(constraint, 'minDomains', 1, `${path}[].minDomains`),
    honorAffinity: textAt(constraint, 'nodeAffinityPolicy', `${path}[].nodeAffinityPolicy`) !== 'Ignore',
    honorTaints: textAt(constraint, 'nodeTaintsPolicy', `${path}[].nodeTaintsPolicy`) === 'Honor',
  }));
}
