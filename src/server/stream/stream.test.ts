import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dashboardWorld, type DashboardWorld } from '../../../test/builders/dashboard-world.ts';
import { startDashboard, type DashboardClient } from '../../../test/fakes/clients/dashboard-client.ts';

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- any event data
}

/** Reads Server-Sent Events one at a time. */
class StreamReader {
  readonly #abort = new AbortController();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly contentType: string | null;
  #buffer = '';
  comments = 0;

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.contentType = response.headers.get('content-type');
    this.#reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<StreamReader> {
    const abort = new AbortController();
    return new StreamReader(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  /** The next event; counts comments on the way. undefined: the stream has ended. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 2);
        if (block.startsWith(':')) this.comments += 1;
        const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
        if (fields.has('event')) return { id: fields.get('id')!, event: fields.get('event')!, data: JSON.parse(fields.get('data')!) };
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#buffer += new TextDecoder().decode(value);
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

let world: DashboardWorld;
let client: DashboardClient;
const readers: StreamReader[] = [];
const open = async (search = '', headers: Record<string, string> = {}): Promise<StreamReader> => {
  const reader = await StreamReader.open(`${client.origin}/api/v1/stream${search}`, headers);
  readers.push(reader);
  return reader;
};
/** Changes the state of a workload and delivers the informer event. */
const move = (name: string, state: 'applied' | 'applying' | 'optimal'): void => {
  world.cluster.recommendationList = world.cluster.recommendationList.map((each) =>
    each.spec.targetRef.name === name ? { ...each, status: { ...each.status, state } } : each,
  );
  const moved = world.cluster.recommendationList.find((each) => each.spec.targetRef.name === name)!;
  const workload = `${moved.metadata.namespace ?? ''}/${moved.spec.targetRef.kind}/${name}`;
  world.cluster.announce({ kind: 'recommendation', key: moved.metadata.name, workload });
  world.timer.advance(2000);
};

beforeEach(async () => {
  world = dashboardWorld();
  client = await startDashboard(world);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await client.close();
});

describe('the stream', () => {
  test('sends hello, then only changes', async () => {
    const stream = await open('?topic=recommendations');
    expect(stream.contentType).toContain('text/event-stream');
    expect((await stream.next())?.event).toBe('hello');
    move('web', 'applying');
    const event = await stream.next();
    expect(event?.event).toBe('recommendations');
    expect(event?.data.changed.map((item: { name: string; state: string }) => [item.name, item.state])).toEqual([['web', 'applying']]);
  });

  test('sends the cluster record when it changes', async () => {
    const stream = await open('?topic=cluster');
    await stream.next();
    world.cluster.nodeList.pop();
    world.cluster.announce({ kind: 'node', key: 'n-5' });
    world.clock.advance(2000);
    world.timer.advance(2000);
    const event = await stream.next();
    expect([event?.event, event?.data.nodes.total]).toEqual(['cluster', 5]);
  });

  test('resumes after the last received event', async () => {
    const first = await open('?topic=recommendations');
    await first.next();
    move('web', 'applying');
    const seen = await first.next();
    first.close();
    move('web', 'applied');
    move('checkout', 'optimal');
    const second = await open('?topic=recommendations', { 'last-event-id': seen!.id });
    expect((await second.next())?.data.changed[0]).toMatchObject({ name: 'web', state: 'applied' });
    expect((await second.next())?.data.changed[0]).toMatchObject({ name: 'checkout', state: 'optimal' });
  });

  test.each(['elsewhere.3', 'nonsense', '.', 'a.b', 'A'.repeat(22)])('sends reset after an unknown id: %s', async (id) => {
    const stream = await open('', { 'last-event-id': id });
    expect((await stream.next())?.event).toBe('reset');
  });

  test('has ids that do not show how many events there were', async () => {
    const first = await open('?topic=recommendations');
    const ids = [(await first.next())?.id];
    const second = await open('?topic=recommendations');
    ids.push((await second.next())?.id);
    move('web', 'applying');
    ids.push((await first.next())?.id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  });

  test('reports a deleted workload', async () => {
    const stream = await open('?topic=recommendations');
    await stream.next();
    world.cluster.workloadList = world.cluster.workloadList.filter((workload) => workload.name !== 'web');
    world.cluster.announce({ kind: 'workload', key: 'shop/Deployment/web' });
    world.timer.advance(2000);
    expect((await stream.next())?.data.removed).toEqual([{ namespace: 'shop', kind: 'Deployment', name: 'web' }]);
  });

  test('a heartbeat keeps a silent connection alive', async () => {
    const stream = await open('?topic=recommendations');
    await stream.next();
    world.timer.advance(15_000);
    move('web', 'applying');
    await stream.next();
    expect(stream.comments).toBe(1);
  });

  test('ends at once when the server stops', async () => {
    const stream = await open();
    await stream.next();
    await client.close();
    expect(await stream.next()).toBeUndefined();
    client = await startDashboard(world);
  });

  test('does no work without listeners', async () => {
    // Sums over the cluster note its changes from their first read on.
    await client.get('/api/v1/cluster');
    const { listeners } = world.cluster;
    const stream = await open();
    await stream.next();
    stream.close();
    await client.get('/api/v1/mode');
    for (let minute = 0; minute < 6; minute += 1) world.timer.advance(60_000);
    expect(world.cluster.listeners).toBe(listeners);
    expect(world.timer.pending).toBe(0);
  });

  test('is not opened by a HEAD request, which is answered with headers only', async () => {
    const head = await fetch(`${client.origin}/api/v1/stream`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(head.headers.get('cache-control')).toBe('private, no-cache');
    expect(world.cluster.listeners).toBe(0);
  });

  test('reports when data is no longer confirmed, so that old values are not taken for current ones', async () => {
    const reader = await open('?topic=cluster');
    await reader.next();
    world.clock.advance(300_000);
    world.timer.advance(16_000);
    const event = await reader.next();
    expect(event?.data.health.parts.find((part: { name: string }) => part.name === 'Freshness').score).toBe(0);
  });

  test('reports only workloads that were scaled', async () => {
    const reader = await open('?topic=scaling');
    await reader.next();
    move('web', 'applying');
    world.cluster.recommendationList = world.cluster.recommendationList.map((each) =>
      each.spec.targetRef.name === 'checkout'
        ? { ...each, status: { ...each.status, lastApplied: { at: '2026-11-20T14:29:00.000Z', by: 'evenkeel', pods: 1 } } }
        : each,
    );
    move('checkout', 'applied');
    expect(await reader.next()).toMatchObject({
      event: 'scaling',
      data: { objects: [{ namespace: 'shop', kind: 'Deployment', name: 'checkout' }] },
    });
  });

  test('an unknown topic is rejected by name', async () => {
    const answer = await client.get('/api/v1/stream?topic=alerts');
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'query.topic']);
  });
});
