// Cells with labels and taints.

import type { Labels } from '#kube/label-selector';
import type { Taint } from '#kube/records/node';
import type { CellReader } from './read-table.ts';

const KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
/** Names of objects: a label cannot change them. */
const FIXED_KEYS = new Set(['kubernetes.io/hostname', 'node.kubernetes.io/instance-type', 'topology.kubernetes.io/zone']);

/** Reads the value of a label. */
export function labelValue(): CellReader<string> {
  return (text) => (VALUE.test(text) ? { value: text } : { problem: 'must be the value of a label: at most 63 letters, digits, - _ or .' });
}

export function capacityType(): CellReader<'spot' | 'on-demand'> {
  return (text) => (text === 'spot' || text === 'on-demand' ? { value: text } : { problem: 'must be spot or on-demand' });
}

/** Reads `key=value;key=value`. */
export function labelList(): CellReader<Labels> {
  return (text) => {
    const labels = new Map<string, string>();
    for (const part of partsOf(text)) {
      const [key = '', value, ...others] = part.split('=');
      if (value === undefined || others.length > 0 || !KEY.test(key) || !VALUE.test(value))
        return { problem: `must be key=value;key=value; ${JSON.stringify(part)} is not` };
      if (FIXED_KEYS.has(key)) return { problem: `has ${key}, which comes from the columns machine_type and zone; remove it` };
      if (labels.has(key)) return { problem: `has ${key} twice; remove one` };
      labels.set(key, value);
    }
    return { value: Object.fromEntries(labels) };
  };
}

/** Reads `key=value:Effect;key:Effect`. */
export function taintList(): CellReader<readonly Taint[]> {
  return (text) => {
    const taints: Taint[] = [];
    for (const part of partsOf(text)) {
      const at = part.lastIndexOf(':');
      const [key = '', value = '', ...others] = part.slice(0, Math.max(0, at)).split('=');
      const effect = EFFECTS.find((each) => each === part.slice(at + 1));
      if (effect === undefined || others.length > 0 || !KEY.test(key) || !VALUE.test(value)) {
        return { problem: `must be key=value:Effect;key:Effect with ${EFFECTS.join(', ')}; ${JSON.stringify(part)} is not` };
      }
      taints.push({ key, value, effect });
    }
    return { value: taints };
  };
}

function partsOf(text: string): string[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
