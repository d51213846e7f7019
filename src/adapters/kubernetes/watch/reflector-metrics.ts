import type { Counter, Gauge, Labels, Metrics } from '../../../ports/metrics.ts';

/** Events are counted in batches: a labelled counter costs as much as applying an event. */
const FLUSH_EVERY = 64;

/** Metrics of one reflector. */
export class ReflectorMetrics {
  readonly labels: Labels;
  readonly lists: Counter;
  readonly watches: Counter;
  readonly expired: Counter;
  readonly stalls: Counter;
  readonly undecodable: Counter;
  readonly handlerFailures: Counter;
  readonly drift: Counter;
  readonly #events: Counter;
  readonly #objects: Gauge;
  #unflushed = 0;

  constructor(metrics: Metrics, resource: string) {
    const labels = ['resource'];
    this.labels = { resource };
    this.lists = metrics.counter({
      name: 'evenkeel_informer_lists_total',
      help: 'Complete listings of a kind, by method: stream or pages.',
      labels: ['resource', 'by'],
    });
    this.watches = metrics.counter({ name: 'evenkeel_informer_watches_total', help: 'Watches opened.', labels });
    this.expired = metrics.counter({
      name: 'evenkeel_informer_expired_total',
      help: 'Times that the version to resume at was too old (410) and the kind was listed again.',
      labels,
    });
    this.stalls = metrics.counter({
      name: 'evenkeel_informer_stalls_total',
      help: 'Watches closed because the connection was silent for too long.',
      labels,
    });
    this.undecodable = metrics.counter({
      name: 'evenkeel_informer_undecodable_total',
      help: 'Objects ignored because a field had the wrong type.',
      labels,
    });
    this.handlerFailures = metrics.counter({
      name: 'evenkeel_informer_handler_failures_total',
      help: 'Changes whose handling threw: each is a bug.',
      labels,
    });
    this.drift = metrics.counter({
      name: 'evenkeel_informer_drift_total',
      help: 'Objects that differed from the API server although the watch was open: each is a bug of Evenkeel or the server.',
      labels,
    });
    this.#events = metrics.counter({ name: 'evenkeel_informer_events_total', help: 'Watch events received, bookmarks included.', labels });
    this.#objects = metrics.gauge({ name: 'evenkeel_informer_objects', help: 'Objects in memory.', labels });
  }

  event(objects: number): void {
    if (++this.#unflushed >= FLUSH_EVERY) this.flush(objects);
  }

  flush(objects: number): void {
    if (this.#unflushed > 0) this.#events.add(this.#unflushed, this.labels);
    this.#unflushed = 0;
    this.#objects.set(objects, this.labels);
  }
}
