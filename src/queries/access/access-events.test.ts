import { expect, test } from '@jest/globals';
import { SILENT_LOGGER } from '../../runtime/logging.ts';
import { dashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { EVERYONE_IS_ADMIN } from '../../core/access/scope.ts';
import type { AccessEventVerification } from '../../ports/store/access-events.ts';
import { AccessEventQueries } from './access-events.ts';

const INTACT: AccessEventVerification = { state: 'intact', events: 2, chains: 1, faults: [], unsigned: [], heads: [] };

test('callers at the same time share one verification, and a later one has its own', async () => {
  const { sources } = dashboardWorld();
  const runs: PromiseWithResolvers<AccessEventVerification>[] = [];
  const verify = () => {
    const run = Promise.withResolvers<AccessEventVerification>();
    runs.push(run);
    return run.promise;
  };
  const accessEvents = { ...sources.accessEvents, read: () => Promise.resolve([]), verify };
  const queries = new AccessEventQueries({ clock: sources.clock, accessEvents, logger: SILENT_LOGGER });
  const list = () => queries.list(EVERYONE_IS_ADMIN, { duration: '1h', verify: true, limit: 10, sort: '-time', format: 'json' });
  const both = Promise.all([list(), list()]);
  await new Promise(setImmediate);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(INTACT);
  expect(await both).toMatchObject([{ summary: { verification: { events: 2 } } }, { summary: { verification: { events: 2 } } }]);
  const third = list();
  await new Promise(setImmediate);
  runs[1]?.reject(new Error('gone'));
  expect([runs.length, await third]).toMatchObject([2, { summary: { verification: null } }]);
});
