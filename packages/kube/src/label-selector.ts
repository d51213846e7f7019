// Label selectors as objects in specs.

import { objectsAt, requiredTextAt, textsAt, textsByKeyAt, type Wire } from './wire.ts';

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>;

/** A requirement on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  readonly values: readonly string[];
}

/** A `metav1.LabelSelector`: all requirements must match. `Gt` and `Lt` exist only in query parameters and node affinity. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

const SET_OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const NODE_OPERATORS = [...SET_OPERATORS, 'Gt', 'Lt'] as const;

/** Receives the field of an operator that this version does not implement. */
export type OnUnknownOperator = (field: string) => void;

/** Parses a label selector. @throws WireError */
export function readLabelSelector(wire: Wire, path: string, onUnknown: OnUnknownOperator): LabelSelector {
  const matchLabels = textsByKeyAt(wire, 'matchLabels', `${path}.matchLabels`);
  const matchExpressions = readRequirements(wire, 'matchExpressions', path, SET_OPERATORS, onUnknown);
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

/** Parses requirements on a node's labels or fields. @throws WireError */
export function readNodeRequirements(wire: Wire, key: string, path: string, onUnknown: OnUnknownOperator): readonly LabelRequirement[] {
  return readRequirements(wire, key, path, NODE_OPERATORS, onUnknown);
}

function readRequirements<O extends LabelRequirement['operator']>(
  wire: Wire,
  key: string,
  path: string,
  operators: readonly O[],
  onUnknown: OnUnknownOperator,
): readonly { readonly key: string; readonly operator: O | 'In'; readonly values: readonly string[] }[] {
  return objectsAt(wire, key, `${path}.${key}`).map((requirement) => {
    const name = requiredTextAt(requirement, 'key', `${path}.${key}[].key`);
    const operator = operators.find((one) => one === requirement['operator']);
    const values = textsAt(requirement, 'values', `${path}.${key}[].values`);
    if (operator !== undefined) return { key: name, operator, values };
    onUnknown(`${path}.${key}[].operator`);
    // `In` without values matches nothing; the caller refuses the object.
    return { key: name, operator: 'In', values: [] };
  });
}
