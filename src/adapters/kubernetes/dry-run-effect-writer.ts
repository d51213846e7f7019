import type { ApiTransport } from '../../ports/api-transport.ts';
import type { EffectWriter, WriteOutcome } from '../../ports/writers.ts';
import { dryRunTransport } from './dry-run-transport.ts';
import { KubernetesEffectWriter } from './effect-writer.ts';

/** The same writer as in a real run, over a transport that only asks. Dry-run differs from a real run here and nowhere else. */
export function dryRunEffectWriter(transport: ApiTransport): EffectWriter {
  const writer = new KubernetesEffectWriter(dryRunTransport(transport));
  return {
    resizePod: async (resize, signal) => named(await writer.resizePod(resize, signal)),
    evictPod: async (pod, signal) => named(await writer.evictPod(pod, signal)),
    restartWorkload: async (restart, signal) => named(await writer.restartWorkload(restart, signal)),
    scaleWorkload: async (scale, signal) => named(await writer.scaleWorkload(scale, signal)),
    patchHpa: async (hpa, patch, signal) => named(await writer.patchHpa(hpa, patch, signal)),
  };
}

function named(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === 'done' ? { kind: 'dry-run' } : outcome;
}
