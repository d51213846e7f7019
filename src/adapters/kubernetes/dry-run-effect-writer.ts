import type { ApiRequest, ApiTransport } from '../../ports/api-transport.ts';
import type { EffectWriter, WriteOutcome } from '../../ports/writers.ts';
import { KubernetesEffectWriter } from './effect-writer.ts';

/**
 * The same writer as in a real run, over a transport that adds `dryRun=All` to whatever is not a read: the server validates,
 * admits and counts quotas, and stores nothing. Dry-run differs from a real run here and nowhere else.
 */
export function dryRunEffectWriter(transport: ApiTransport): EffectWriter {
  const writer = new KubernetesEffectWriter({
    request: (request) => transport.request(asDryRun(request)),
    stream: (request) => transport.stream(asDryRun(request)),
  });
  return {
    resizePod: async (resize, signal) => named(await writer.resizePod(resize, signal)),
    evictPod: async (pod, signal) => named(await writer.evictPod(pod, signal)),
    patchHpa: async (hpa, patch, signal) => named(await writer.patchHpa(hpa, patch, signal)),
  };
}

function asDryRun(request: ApiRequest): ApiRequest {
  return request.method === 'GET' ? request : { ...request, query: { ...request.query, dryRun: 'All' } };
}

function named(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === 'done' ? { kind: 'dry-run' } : outcome;
}
