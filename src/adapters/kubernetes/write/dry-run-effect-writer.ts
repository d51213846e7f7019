import type { ApiTransport } from '#kube/api-transport';
import type { EffectWriter } from '../../../ports/cluster/writers.ts';
import { dryRunTransport } from '../transport/dry-run-transport.ts';
import { kubernetesEffectWriter } from './effect-writer.ts';

/** The production writer over a dry-run transport, the only difference between a dry run and a real run. */
export function dryRunEffectWriter(transport: ApiTransport): EffectWriter {
  const writer = kubernetesEffectWriter(dryRunTransport(transport));
  return {
    write: async (effect, signal) => {
      const outcome = await writer.write(effect, signal);
      return outcome.kind === 'done' ? { kind: 'dry-run' } : outcome;
    },
  };
}
