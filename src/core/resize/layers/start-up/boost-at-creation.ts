// The annotation on a pod that was created with more CPU than it has otherwise: enough to take it back without any memory
// of Evenkeel's, on whichever replica leads then.

import { readRequestsAndLimits, writeQuantities, type QuantityPair } from '../../../recommendations/quantities.ts';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import type { RequestsAndLimits } from '#kube/records/resources';
import type { Values } from '../../model/container-values.ts';

/** CPU of a container by the annotation; memory is not in it. */
export interface BoostAtCreation {
  readonly base: RequestsAndLimits;
  readonly boosted: RequestsAndLimits;
}

/** @param base what the containers have otherwise @param boosted what they are created with; only containers that differ */
export function writeBoostAtCreation(base: Values, boosted: Values): string {
  const cpu = (values: RequestsAndLimits | undefined): { requests?: QuantityPair; limits?: QuantityPair } => ({
    requests: writeQuantities({ cpuMillicores: values?.requests.cpuMillicores ?? null, memoryBytes: null }),
    limits: writeQuantities({ cpuMillicores: values?.limits.cpuMillicores ?? null, memoryBytes: null }),
  });
  return JSON.stringify(
    Object.fromEntries([...boosted].map(([name, created]) => [name, { base: cpu(base.get(name)), boosted: cpu(created) }])),
  );
}

/** What a hand has written there by mistake reads as nothing. */
export function readBoostAtCreation(text: string): ReadonlyMap<string, BoostAtCreation> {
  const found = new Map<string, BoostAtCreation>();
  const note = parseJson(text);
  if (!isObject(note)) return found;
  for (const [name, entry] of Object.entries(note)) {
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
