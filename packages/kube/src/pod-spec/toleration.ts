import { objectsAt, textAt, type Wire } from '../wire.ts';

/** A toleration of a pod. */
export interface Toleration {
  readonly key: string | null;
  /** `Other` tolerates nothing: numeric comparisons, which Kubernetes 1.36 disables by default. */
  readonly operator: 'Equal' | 'Exists' | 'Other';
  readonly value: string;
  /** null: any. */
  readonly effect: string | null;
}

/** Parses tolerations of a pod spec. @throws WireError */
export function readTolerations(spec: Wire, path = 'spec.tolerations'): readonly Toleration[] {
  return objectsAt(spec, 'tolerations', path).map((toleration) => ({
    key: textOrNull(toleration, 'key', path),
    operator: operatorOf(textAt(toleration, 'operator', `${path}[].operator`)),
    value: textAt(toleration, 'value', `${path}[].value`),
    effect: textOrNull(toleration, 'effect', path),
  }));
}

function textOrNull(toleration: Wire, key: string, path: string): string | null {
  const text = textAt(toleration, key, `${path}[].${key}`);
  return text === '' ? null : text;
}

function operatorOf(operator: string): Toleration['operator'] {
  if (operator === 'Exists') return 'Exists';
  return operator === '' || operator === 'Equal' ? 'Equal' : 'Other';
}
