// The informers and the state of a cluster whose lists are answered one kind after the other, so that each kind can be measured. Answers are
// parsed from flat texts, as from the network.

import { setImmediate } from 'node:timers/promises';
import type { ApiRequest, ApiResponse, ApiStream, ApiTransport } from '#kube/api-transport';
import { ALL_KINDS, type KubernetesInformers, startKubernetesInformers } from '../../../src/adapters/kubernetes/watch/informers.ts';
import { SILENT_LOGGER } from '../../../src/runtime/logging.ts';
import { NO_METRICS } from '../../../src/runtime/metrics.ts';
import { NO_ACTIVITY, SystemClock, SystemTimer } from '../../../src/runtime/system-clock.ts';
import { ClusterState } from '../../../src/state/cluster-state.ts';
import { seededRandom } from '../../fakes/seeded-random.ts';

const VERSION = '1';
const NOT_FOUND: ApiResponse = { status: 404, headers: {}, body: { kind: 'Status', status: 'Failure', code: 404, reason: 'NotFound' } };

/** JSON texts of the objects of a kind, which are written as they are listed. */
export type ObjectTexts = () => Iterable<string>;

/** A kind that is listed when it is released. */
class HeldList {
  readonly texts: ObjectTexts;
  readonly released = Promise.withResolvers<undefined>();
  rest: Iterator<string> | null = null;

  constructor(texts: ObjectTexts) {
    this.texts = texts;
  }
}

export class ListedCluster {
  readonly state = new ClusterState();
  readonly #held: ReadonlyMap<string, HeldList>;
  readonly #informers: KubernetesInformers;

  /** @param texts by the plural of the kind; other kinds have no objects */
  constructor(texts: Readonly<Record<string, ObjectTexts>>) {
    this.#held = new Map(Object.entries(texts).map(([plural, objects]) => [plural, new HeldList(objects)]));
    const transport: ApiTransport = { request: (request) => this.#list(request), stream: (request) => this.#watch(request) };
    this.#informers = startKubernetesInformers({
      transport,
      clock: new SystemClock(),
      timer: new SystemTimer(),
      activity: NO_ACTIVITY,
      random: seededRandom(1),
      logger: SILENT_LOGGER,
      metrics: NO_METRICS,
      sink: this.state,
      namespace: 'evenkeel-system',
      kinds: ALL_KINDS,
    });
  }

  /** Lists a kind into the state; returns the number of its objects. */
  async list(plural: string): Promise<number> {
    this.#held.get(plural)?.released.resolve(undefined);
    for (;;) {
      const found = this.#informers.informers().find(({ name }) => name.split('.', 1)[0] === plural);
      if (found === undefined) throw new Error(`no informer lists ${plural}`);
      if (found.synced) return found.objects;
      await setImmediate();
    }
  }

  async stop(): Promise<void> {
    for (const { released } of this.#held.values()) released.resolve(undefined);
    await this.#informers.stop();
  }

  async #list({ path, query }: ApiRequest): Promise<ApiResponse> {
    if (!/^\/apis?\/.*\/[a-z]+$/.test(path)) return NOT_FOUND;
    const held = this.#held.get(path.slice(path.lastIndexOf('/') + 1));
    if (held === undefined) return { status: 200, headers: {}, body: { metadata: { resourceVersion: VERSION }, items: [] } };
    await held.released.promise;
    held.rest ??= held.texts()[Symbol.iterator]();
    const items: string[] = [];
    let isLast = false;
    while (items.length < Number(query?.['limit'] ?? 1)) {
      const next = held.rest.next();
      isLast = next.done === true;
      if (next.done === true) break;
      items.push(next.value);
    }
    const metadata = JSON.stringify({ resourceVersion: VERSION, ...(isLast ? {} : { continue: 'next' }) });
    return { status: 200, headers: {}, body: parseFlat(`{"metadata":${metadata},"items":[${items.join()}]}`) };
  }

  /** Lists in pages only; a watch stays silent until it is aborted. */
  async #watch({ query, signal }: ApiRequest): Promise<ApiStream> {
    if (query?.['sendInitialEvents'] === true) return { status: 400, headers: {}, items: nothing(), body: { code: 400 } };
    return { status: 200, headers: {}, items: silence(signal) };
  }
}

function parseFlat(text: string): unknown {
  return JSON.parse(Buffer.from(text).toString('utf8')) as unknown;
}

async function* nothing(): AsyncGenerator<never> {
  // Nothing to yield.
}

async function* silence(signal: AbortSignal | undefined): AsyncGenerator<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(new Error('the watch was aborted')));
  yield await promise;
}
