import type { ApiTransport } from '#kube/api-transport';
import type { EffectWriter } from '../../ports/writers.ts';
import { dryRunTransport } from './dry-run-transport.ts';
import { kubernetesEffectWriter } from './effect-writer.ts';

/** The same writer as in a real run, over a transport that only asks. Dry-run differs from a real run here and nowhere else. */
export function dryRunEffectWriter(transport: ApiTransport): EffectWriter {
  const writer = kubernetesEffectWriter(dryRunTransport(transport));
  return {
    write: async (effect, signal) => {
      const outcome = await writer.write(effect, signal);
      return outcome.kind === 'done' ? { kind: 'dry-run' } : outcome;
    },
  };
}
