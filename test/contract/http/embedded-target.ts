// The embedded cluster as an API server over HTTPS.

import { SeededRandom } from '../../../src/runtime/random.ts';
import { SystemTimer } from '../../../src/runtime/system-clock.ts';
import { serveHttps } from '#embedded-cluster/api/http/http-server';
import { EmbeddedCluster } from '#embedded-cluster/embedded-cluster';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import type { ApiTarget } from './raw-client.ts';

export interface EmbeddedTarget {
  readonly target: ApiTarget;
  /** Stops the cluster; throws when one of its components failed, whatever its clients received. */
  close(): Promise<void>;
}

/** Starts a cluster of three nodes with its controllers, scheduler and kubelets, at the speed of the machine's clock. */
export async function startEmbeddedTarget(): Promise<EmbeddedTarget> {
  const logger = new RecordingLogger();
  const cluster = new EmbeddedCluster({
    startAt: Date.now(),
    seed: 1,
    random: (seed) => new SeededRandom(seed),
    speed: 1,
    nodes: { count: 3, machineTypes: ['e2-standard-4'] },
    timer: new SystemTimer(),
    logger,
  });
  const served = await serveHttps(cluster.server, { port: 0 });
  cluster.clock.start();
  return {
    target: { name: 'embedded', baseUrl: served.url, ca: served.caCertificate, token: cluster.server.authenticator.adminToken },
    close: async () => {
      await served.close();
      cluster.close();
      const faults = logger.lines.filter(({ level }) => level === 'error');
      if (faults.length > 0) throw new Error(`the embedded cluster reported faults: ${JSON.stringify(faults)}`);
    },
  };
}
