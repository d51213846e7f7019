import type { NodeRecord } from '#kube/records/node';
import type { PodRecord } from '#kube/records/pod';
import type { Clock } from '../../ports/clock.ts';
import type { ContainerCounters, ContainerCounterSource } from '#kube/kubelet/kubelet-pages';
import { OOM_EVENTS, PERIODS, THROTTLED } from './metric-names.ts';
import type { PrometheusQueries } from './client/prometheus-client.ts';
import { quoted } from './series-names.ts';

type Counter = 'cpuPeriods' | 'throttledPeriods' | 'oomEvents';

const COUNTERS: Readonly<Record<string, Counter>> = {
  [PERIODS]: 'cpuPeriods',
  [THROTTLED]: 'throttledPeriods',
  [OOM_EVENTS]: 'oomEvents',
};

type MutableCounters = { -readonly [K in keyof ContainerCounters]: ContainerCounters[K] };

/**
 * Counters of a node's containers as last scraped by Prometheus. They are raw, not a rate, so that the whole time between two readings is
 * covered. The query selects pods by name, since the label of the node differs between installations.
 */
export class PrometheusCounters implements ContainerCounterSource {
  readonly name = 'prometheus';
  readonly #client: Pick<PrometheusQueries, 'instant'>;
  readonly #podsOnNode: (node: string) => Iterable<PodRecord>;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(client: Pick<PrometheusQueries, 'instant'>, podsOnNode: (node: string) => Iterable<PodRecord>, clock: Pick<Clock, 'now'>) {
    this.#client = client;
    this.#podsOnNode = podsOnNode;
    this.#clock = clock;
  }

  /** Rejects with PrometheusFailure. */
  async containerCounters({ name }: NodeRecord, signal: AbortSignal): Promise<readonly ContainerCounters[]> {
    const pods = [...this.#podsOnNode(name)];
    if (pods.length === 0) return [];
    const anyOf = (values: Iterable<string>): string => quoted([...new Set(values)].map(escaped).join('|'));
    const selectors = [
      `__name__=~${quoted(Object.keys(COUNTERS).join('|'))}`,
      `namespace=~${anyOf(pods.map((pod) => pod.namespace))}`,
      `pod=~${anyOf(pods.map((pod) => pod.name))}`,
      'container!=""',
      'container!="POD"',
    ];
    const found = new Map<string, MutableCounters>();
    for (const { labels, value } of await this.#client.instant(`{${selectors.join(',')}}`, this.#clock.now(), signal)) {
      const counter = COUNTERS[labels['__name__'] ?? ''];
      if (counter === undefined || !(value >= 0)) continue;
      const counters = countersOf(found, labels);
      // A kubelet scraped by two jobs has each series twice.
      counters[counter] = Math.max(counters[counter] ?? 0, value);
    }
    return [...found.values()];
  }
}

function countersOf(found: Map<string, MutableCounters>, labels: Readonly<Record<string, string>>): MutableCounters {
  const { namespace = '', pod = '', container = '', id: instance = '' } = labels;
  const key = `${namespace}/${pod}/${container}/${instance}`;
  let counters = found.get(key);
  if (counters === undefined) {
    counters = { namespace, pod, container, instance, at: null, cpuPeriods: null, throttledPeriods: null, oomEvents: null };
    found.set(key, counters);
  }
  return counters;
}

/** Escapes a name for a regular expression: names have only letters, digits, `-` and `.`. */
function escaped(name: string): string {
  return name.replaceAll('.', '\\.');
}
