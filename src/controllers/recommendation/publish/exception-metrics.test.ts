import { expect, test } from '@jest/globals';
import { PrometheusMetrics } from '../../../runtime/metrics.ts';
import type { LimitException } from '../../../core/resize/model/limit-exception.ts';
import { ExceptionMetrics } from './exception-metrics.ts';

const WEB = 'shop/Deployment/web';
const open: LimitException = {
  container: 'main',
  resource: 'memory',
  type: 'usage-over-limit',
  state: 'open',
  bound: 'limit',
  limit: 1,
  observed: 1,
  proposed: 2,
  evidence: '',
  openedAt: 0,
  lastSeenAt: 0,
  occurrences: 1,
  clearSince: null,
  openCount: [0],
  closedAt: null,
  decided: null,
  inEffect: false,
  approvedBaseline: null,
  overage: { before: 1, value: 2, since: 0, until: 9, returnedAt: null },
  leakApprovedAt: null,
  ceilingReached: false,
};

test('open, opened and closed exceptions are exported until the term ends', async () => {
  const metrics = new PrometheusMetrics();
  const counted = new ExceptionMetrics(metrics);
  const lines = async (): Promise<string[]> => (await metrics.expose()).split('\n').filter((line) => /^evenkeel_limit.* [1-9]/.test(line));
  counted.setExceptions(WEB, [], [open]);
  counted.setExceptions(WEB, [open], [open]);
  expect(await lines()).toEqual([
    'evenkeel_limit_exceptions{type="usage-over-limit"} 1',
    'evenkeel_limit_overages 1',
    'evenkeel_limit_exceptions_opened_total{type="usage-over-limit"} 1',
  ]);
  counted.setExceptions(WEB, [open], [{ ...open, state: 'resolved', overage: null }]);
  expect(await lines()).toContain('evenkeel_limit_exceptions_closed_total{state="resolved"} 1');
  counted.setExceptions(WEB, [], [open]);
  counted.reset();
  expect((await lines()).filter((line) => !line.includes('_total'))).toEqual([]);
});
