import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ResourceMetrics } from '#kube/kubelet/kubelet-pages';
import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';
import { ContainerLabels, MetricCollector, type MetricColumns } from './metric-columns.ts';

const BOUNDS = { maxContainers: 1_000 };

function pageOf(pods: readonly string[], bytes = 7): Buffer {
  const lines = pods.map(
    (pod) => `container_memory_working_set_bytes{container="app",namespace="a",pod="${pod}"} ${bytes} 1700000000000\n`,
  );
  return Buffer.from(lines.join(''));
}

/** Memory by label text. */
function memoryOf(metrics: ResourceMetrics): Readonly<Record<string, number>> {
  const memory: Record<string, number> = {};
  const ignore = (): void => undefined;
  metrics.visit({
    containerCpuSeconds: ignore,
    containerMemoryBytes: (labels, value) => void (memory[/pod="(.*)"/.exec(labels)?.[1] ?? labels] = value),
    containerStart: ignore,
    nodeCpuSeconds: ignore,
    nodeMemoryBytes: ignore,
  });
  return memory;
}

/** A collector and the receiver of its pages, as in two threads. */
class Exchange {
  readonly #collector = new MetricCollector();
  readonly labels = new ContainerLabels();

  post(node: string, page: Buffer, bounds = BOUNDS): MetricColumns {
    return structuredClone(this.#collector.collect(node, page, bounds, this.labels.known(node)));
  }

  read(node: string, page: Buffer): Readonly<Record<string, number>> {
    return memoryOf(this.labels.resolve(node, this.post(node, page)));
  }
}

describe('labels of containers', () => {
  test('are posted with the first page that has them, and not again', () => {
    const exchange = new Exchange();
    const posted = [['p', 'q'], ['q', 'p'], ['q', 'r', 'p'], ['r']].map((pods) => {
      const columns = exchange.post('n1', pageOf(pods));
      expect(Object.keys(memoryOf(exchange.labels.resolve('n1', columns)))).toEqual(pods);
      return columns.added.length;
    });
    expect(posted).toEqual([2, 0, 1, 0]);
  });

  test('have ids of their own on each node', () => {
    const exchange = new Exchange();
    exchange.read('n1', pageOf(['p', 'q']));
    exchange.read('n2', pageOf(['q', 'p']));
    expect([exchange.read('n1', pageOf(['q'], 1)), exchange.read('n2', pageOf(['p'], 2))]).toEqual([{ q: 1 }, { p: 2 }]);
  });

  test('are posted again after a page that did not arrive, and to a receiver that has none', () => {
    const exchange = new Exchange();
    exchange.read('n1', pageOf(['p']));
    exchange.post('n1', pageOf(['p', 'q']));
    expect(exchange.read('n1', pageOf(['p', 'q'], 3))).toEqual({ p: 3, q: 3 });
    const restarted = memoryOf(new ContainerLabels().resolve('n1', new MetricCollector().collect('n1', pageOf(['q'], 4), BOUNDS, null)));
    expect(restarted).toEqual({ q: 4 });
  });

  test('of a page that is not from the known ids fail the reading', () => {
    const exchange = new Exchange();
    exchange.read('n1', pageOf(['p']));
    const lost = exchange.post('n1', pageOf(['p', 'q']));
    const next = exchange.post('n1', pageOf(['p', 'r']));
    exchange.labels.resolve('n1', next);
    expect(() => exchange.labels.resolve('n1', lost)).toThrow('the page of node n1 has unknown container ids');
  });

  test('of pods that have gone are forgotten', () => {
    const exchange = new Exchange();
    for (let page = 0; page < 200; page += 1) exchange.read('n1', pageOf(Array.from({ length: 10 }, (_, pod) => `p${page + pod}`)));
    // Half as many as on a page, 16 more, and those that the last page added.
    expect(exchange.labels.known('n1')?.count).toBeLessThanOrEqual(32);
  });
});

test('a page of more containers or samples than its bounds is rejected, and the next one is read', () => {
  const exchange = new Exchange();
  const [three, small] = [pageOf(['p', 'q', 'r']), { maxContainers: 2 }];
  expect(() => exchange.post('n1', three, small)).toThrow(PageTooLarge);
  expect(() => exchange.post('n1', pageOf(Array.from({ length: 17 }, () => 'p')), small)).toThrow('more than 16 samples');
  expect(exchange.read('n1', pageOf(['p'], 5))).toEqual({ p: 5 });
  expect(() => exchange.post('n1', three, small)).toThrow('more than 2 containers');
});

test('values are those of the text', () => {
  const texts = fc.oneof(
    fc.double().map(String),
    fc.integer().map(String),
    fc.tuple(fc.nat(), fc.stringMatching(/^\d{0,12}$/)).map(([whole, decimals]) => `${whole}.${decimals}`),
    fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
    fc.constantFrom('+Inf', 'NaN', '1e', '-', '.', '1.2.3', '0x10', '1_000', '--1', '5.', '.5'),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const [value, time] = [
        ...new MetricCollector().collect('n1', Buffer.from(`node_cpu_usage_seconds_total ${text} ${text}\n`), BOUNDS, null).samples,
      ].slice(1);
      expect([value, time]).toEqual([Number(text), Number(text)]);
    }),
  );
});
