import { describe, expect, test } from '@jest/globals';
import { WEB } from '../../../../test/fakes/worlds/resize-world.ts';
import { PrometheusMetrics } from '../../../runtime/metrics.ts';
import { RecommendationMetrics } from './metrics.ts';

describe('recommendation metrics', () => {
  test('count each workload once, by its latest state, and have no series after the term', async () => {
    const registry = new PrometheusMetrics();
    const metrics = new RecommendationMetrics(registry);
    metrics.setWorkload(WEB, { state: 'recommended', potential: 12, reclaimed: 0, waitingRaises: 3, watch: null });
    metrics.setWorkload(WEB, { state: 'applied', potential: 0, reclaimed: 12, waitingRaises: 2, watch: 'none' });
    const reported = await registry.expose();
    expect(reported).toContain('evenkeel_recommendations{state="applied"} 1');
    expect(reported).toContain('evenkeel_recommendations{state="recommended"} 0');
    expect(reported).toContain('evenkeel_savings_per_month_usd{kind="reclaimed"} 12');
    expect(reported).toContain('evenkeel_raises_waiting_for_node_capacity 2');
    expect(reported).toContain('evenkeel_watched_reductions{evidence="none"} 1');
    metrics.setWorkload(WEB, { state: 'applied', potential: 0, reclaimed: 12, waitingRaises: 2, watch: 'compared' });
    expect(await registry.expose()).toContain('evenkeel_watched_reductions{evidence="compared"} 1');
    metrics.reset();
    const after = await registry.expose();
    expect(after).toContain('evenkeel_recommendations{state="applied"} 0');
    expect(after).toContain('evenkeel_watched_reductions{evidence="none"} 0');
    expect(after).not.toContain('evenkeel_savings_per_month_usd{');
    expect(after).not.toMatch(/^evenkeel_raises_waiting_for_node_capacity/m);
  });
});
