// The annotation on a pod that was created with a start-up boost. It has all values that are needed to end the boost, so that any leader
// can do so without stored memory.

import { readRequestsAndLimits, writeQuantities, type QuantityPair } from '../../../recommendations/quantities.ts';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Values } from '../../model/container-values.ts';

/** CPU of a container in the annotation, without and with the boost. Memory amounts are null. */
export interface BoostAtCreation {
  readonly base: RequestsAndLimits;
  readonly boosted: RequestsAndLimits;
}

/** Writes the annotation. @param base values without the boost @param boosted values at creation, of the boosted containers only */
export function writeBoostAtCreation(base: Values, boosted: Values): string {
  const cpu = (values: RequestsAndLimits | undefined): { requests?: QuantityPair; limits?: QuantityPair } => ({
    requests: writeQuantities({ cpuMillicores: values?.requests.cpuMillicores ?? null, memoryBytes: null }),
    limits: writeQuantities({ cpuMillicores: values?.limits.cpuMillicores ?? null, memoryBytes: null }),
  });
  return JSON.stringify(
    Object.fromEntries([...boosted].map(([name, created]) => [name, { base: cpu(base.get(name)), boosted: cpu(created) }])),
  );
}

/** Reads the annotation; invalid entries are ignored. */
export function readBoostAtCreation(text: string): ReadonlyMap<string, BoostAtCreation> {
  const found = new Map<string, BoostAtCreation>();
  const annotation = parseJson(text);
  if (!isObject(annotation)) return found;
  for (const [name, entry] of Object.entries(annotation)) {
    if (!isObject(entry) || !isObject(entry['base']) || !isObject(entry['boosted'])) continue;
    found.set(name, { base: readRequestsAndLimits(pairsOf(entry['base'])), boosted: readRequestsAndLimits(pairsOf(entry['boosted'])) });
  }
  return found;
}

function pairsOf(values: JsonObject): { requests?: QuantityPair; limits?: QuantityPair } {
  return { requests: cpuAlone(values['requests']), limits: cpuAlone(values['limits']) };
}

function cpuAlone(pair: unknown): QuantityPair {
  return isObject(pair) && typeof pair['cpu'] === 'string' ? { cpu: pair['cpu'] } : {};
}
