import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { applicationOf } from '../../../test/fakes/clients/dashboard-client.ts';
import { askLegacy } from '../../../test/fakes/clients/mcp-client.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import { RequestBounds } from '../guards/request-bounds.ts';
import { nameRequest } from '../request-context.ts';
import { mcpMetrics } from './mcp-metrics.ts';
import { mcpRoutes } from './mcp-routes.ts';

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

test('an SDK that could not be loaded is loaded with the next request', async () => {
  const { timer, metrics, logger, ...world } = dashboardWorld();
  let loads = 0;
  const loadSdk = () => {
    loads += 1;
    return loads === 1 ? Promise.reject(new Error('EMFILE: too many open files')) : import('@modelcontextprotocol/server');
  };
  const app = express().use(
    nameRequest,
    mcpRoutes({
      ...{ application: applicationOf({ ...world, logger, timer }), version: '1', logger, timer, loadSdk },
      bounds: new RequestBounds(timer, () => undefined),
      metrics: mcpMetrics(metrics),
      rate: { perSecond: 10, burst: 10 },
      scopeOf: () => EVERYONE_IS_ADMIN,
      observe: () => undefined,
      rateLimited: () => undefined,
      report: () => undefined,
    }),
  );
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const statuses: number[] = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await askLegacy(origin, 'ping')).status);
  expect([statuses, loads]).toEqual([[500, 200, 200], 2]);
});
