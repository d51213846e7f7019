import { expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { FakeTransport } from '../../../test/fakes/clients/fake-transport.ts';
import { SqlHistory } from '../../adapters/history/sql-history.ts';
import type { StoreEngine } from '../../adapters/history/store-engine.ts';
import { MINUTE_MS } from '#kube/units';
import type { FeedStatus } from '../../ports/cluster/cluster-feed.ts';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { NO_METRICS, PrometheusMetrics } from '../../runtime/metrics.ts';
import { ApiServerHealth } from './api-server-health.ts';
import { storeHealth } from '../controller/health-sources.ts';
import { startOperationalEndpoints } from './operational-endpoints.ts';
import { ACCESS_EVENT_OPTIONS } from '../../../test/fakes/test-signer.ts';

/** A store on a full disk. */
const FULL_DISK: StoreEngine = {
  run: (attempt) => Promise.reject(new Error(`${attempt}: database or disk is full`)),
  nextChange: () => Promise.resolve(1),
  usedBytes: () => Promise.resolve(0),
  releaseSpace: () => Promise.resolve(),
  close: () => Promise.resolve(),
  retryMs: () => 500,
};

const SYNCED: FeedStatus = { isSynced: () => true, confirmedAt: () => 0, describeStaleness: () => null, informers: () => [] };

test('a store that refuses writes fails in health and leaves /readyz at 200', async () => {
  const clock = new FakeClock();
  const bounds = { ...ACCESS_EVENT_OPTIONS, retentionMs: 1e9, maxBytes: 1e9, logger: SILENT_LOGGER, metrics: NO_METRICS };
  const history = new SqlHistory(FULL_DISK, { ...bounds, clock, machine: clock }, true);
  const apiServer = new ApiServerHealth(new FakeTransport(() => ({ body: { gitVersion: 'v1.36.0' } })), clock, clock);
  await apiServer.start();
  const endpoints = await startOperationalEndpoints(
    { probes: '127.0.0.1:0', metrics: '127.0.0.1:0' },
    {
      apiServer,
      feed: () => SYNCED,
      metrics: new PrometheusMetrics(),
      timer: clock,
    },
  );
  try {
    history.appendEntry({ id: 'one', at: clock.now(), namespace: 'shop', object: { kind: 'Deployment', name: 'web' } } as never);
    await clock.advance(10 * MINUTE_MS);
    expect(storeHealth(history, clock).status()).toMatchObject({ status: 'failed', message: expect.stringContaining('disk is full') });
    const { status } = await fetch(`http://127.0.0.1:${endpoints.probePort}/readyz`);
    expect(status).toBe(200);
  } finally {
    apiServer.stop();
    await endpoints.close();
  }
});
