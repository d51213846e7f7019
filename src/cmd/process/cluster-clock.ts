// Whose time counts: the machine's, unless the cluster has a virtual clock.

import type { ApiTransport } from '#kube/api-transport';
import type { Clock } from '../../ports/clock.ts';
import { SystemClock } from '../../runtime/system-clock.ts';
import type { ProcessDependencies } from './run-binary.ts';

export interface ClusterClock {
  readonly clock: Clock;
  readonly isEmbedded: boolean;
  stop(): void;
}

/** Opens the clock of the cluster that answers here. Throws where no API server answers, or where the process cannot keep the cluster's time. */
export type OpenClock = (
  transport: ApiTransport,
  dependencies: Pick<ProcessDependencies, 'timer' | 'logger'>,
  signal: AbortSignal | undefined,
) => Promise<ClusterClock>;

/** The machine's clock. An embedded cluster is refused: it may run at many times real speed. */
export const openSystemClock: OpenClock = async (transport, _dependencies, signal) => {
  if (await isEmbedded(transport, signal))
    throw new Error('the cluster is an embedded one with a virtual clock: start the controller with `npm run -s controller:embedded`');
  return { clock: new SystemClock(), isEmbedded: false, stop: () => undefined };
};

/** Whether the API server is that of an embedded cluster, by its version. */
export async function isEmbedded(transport: ApiTransport, signal: AbortSignal | undefined): Promise<boolean> {
  const version = await transport.request({ method: 'GET', path: '/version', ...(signal === undefined ? {} : { signal }) });
  const { gitVersion } = (version.body ?? {}) as { gitVersion?: unknown };
  return typeof gitVersion === 'string' && gitVersion.endsWith('+evenkeel');
}
