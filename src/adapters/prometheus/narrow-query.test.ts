import { describe, expect, test } from '@jest/globals';
import { narrowQuery } from './narrow-query.ts';

const MATCHER = 'cluster="prod-eu"';

describe('a query is narrowed by the matchers of the settings', () => {
  test.each([
    ['up', 'up{cluster="prod-eu"}'],
    ['up{}', 'up{cluster="prod-eu"}'],
    ['up{ job="a" }', 'up{cluster="prod-eu", job="a" }'],
    ['{__name__=~"a|b",namespace="shop"}', '{cluster="prod-eu",__name__=~"a|b",namespace="shop"}'],
    ['node:load:sum', 'node:load:sum{cluster="prod-eu"}'],
    ['rate(a{x="}{",y=\'{\'}[5m:1m])', 'rate(a{cluster="prod-eu",x="}{",y=\'{\'}[5m:1m])'],
    [
      'max by (pod, cluster) (a) / on (pod) group_left (node) b',
      'max by (pod, cluster) (a{cluster="prod-eu"}) / on (pod) group_left (node) b{cluster="prod-eu"}',
    ],
    [
      'sum(rate(e[5m] offset -1h)) by (code) / sum without (code) (all @ end())',
      'sum(rate(e{cluster="prod-eu"}[5m] offset -1h)) by (code) / sum without (code) (all{cluster="prod-eu"} @ end())',
    ],
    [
      'SUM BY (a) (x) and x > bool 0x1F or vector(1.5e-3) # up\n* Inf',
      'SUM BY (a) (x{cluster="prod-eu"}) and x{cluster="prod-eu"} > bool 0x1F or vector(1.5e-3) # up\n* Inf',
    ],
    ['label_replace(a, "b", "$1", "c", `\\d{2}`) > 1', 'label_replace(a{cluster="prod-eu"}, "b", "$1", "c", `\\d{2}`) > 1'],
    ['up{job="a"} or up{cluster="other"}', 'up{cluster="prod-eu",job="a"} or up{cluster="prod-eu",cluster="other"}'],
  ])('%s', (query, wanted) => {
    expect(narrowQuery(query, MATCHER)).toBe(wanted);
  });

  test('is unchanged without matchers', () => {
    expect(narrowQuery('up{', '')).toBe('up{');
  });

  test.each([
    ['a selector that does not end', 'up{job="a"'],
    ['a text that does not end', 'up{job="a}'],
    ['a brace too many', 'up}'],
    ['a metric by the name of a keyword', 'sum(offset)'],
    ['a choice of selectors, which VictoriaMetrics knows', 'up{job="a" or job="b"}'],
  ])('%s is rejected: its selectors are ambiguous', (_, query) => {
    expect(() => narrowQuery(query, MATCHER)).toThrow(/prometheus\.matchers cannot be added to the query/);
  });
});
