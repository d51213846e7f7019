import { describe, expect, test } from '@jest/globals';
import { ApiWorld } from '../../../testing/api-world.ts';
import { settle } from '../../../testing/fake-clock.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

async function withConfigMaps(...names: string[]): Promise<ApiWorld> {
  const world = new ApiWorld();
  for (const name of names) await world.post(CONFIG_MAPS, { metadata: { name, labels: { app: name } } });
  return world;
}

describe('watch', () => {
  test('starts with existing objects, and continues with changes', async () => {
    const world = await withConfigMaps('a');
    const watch = await world.watch(CONFIG_MAPS);
    await world.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    await world.patch('merge', `${CONFIG_MAPS}/a`, { data: { x: 'y' } });
    await world.delete(`${CONFIG_MAPS}/b`);
    await settle();
    expect(watch.events).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    const versions = watch.raw.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  test('resumes after a version without a gap or a repetition', async () => {
    const world = await withConfigMaps('a', 'b');
    const { metadata } = (await world.get(CONFIG_MAPS)).body as { metadata: { resourceVersion: string } };
    await world.delete(`${CONFIG_MAPS}/a`);
    const watch = await world.watch(CONFIG_MAPS, { resourceVersion: metadata.resourceVersion });
    await world.delete(`${CONFIG_MAPS}/b`);
    await settle();
    expect(watch.events).toEqual(['DELETED a', 'DELETED b']);
  });

  test('an object that stops to match is DELETED, one that starts is ADDED', async () => {
    const world = await withConfigMaps('a', 'b');
    const watch = await world.watch(CONFIG_MAPS, { labelSelector: 'app=a' });
    await world.patch('merge', `${CONFIG_MAPS}/a`, { metadata: { labels: { app: 'other' } } });
    await world.patch('merge', `${CONFIG_MAPS}/b`, { metadata: { labels: { app: 'a' } } });
    await settle();
    expect(watch.events).toEqual(['ADDED a', 'DELETED a', 'ADDED b']);
    expect(watch.raw[1]?.object.metadata.labels).toEqual({ app: 'a' });
  });

  test('a version that the history has dropped is a 410 in the stream', async () => {
    const world = await withConfigMaps('a');
    for (let index = 0; index < 2100; index++) await world.patch('merge', `${CONFIG_MAPS}/a`, { data: { index: String(index) } });
    const watch = await world.watch(CONFIG_MAPS, { resourceVersion: '3' });
    await settle();
    expect(watch.ended).toBe(true);
    expect(watch.raw).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  });

  test('sendInitialEvents streams the list and marks its end', async () => {
    const world = await withConfigMaps('a', 'b');
    const watch = await world.watch(CONFIG_MAPS, {
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    await settle();
    expect(watch.events).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK']);
    expect(watch.raw[2]?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: String(world.server.store.revision), annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const refused = await world.transport.request({ method: 'GET', path: CONFIG_MAPS, query: { watch: true, sendInitialEvents: true } });
    expect(refused.status).toBe(422);
  });

  test('bookmarks use domain time, timeouts machine time', async () => {
    const world = await withConfigMaps();
    const watch = await world.watch(CONFIG_MAPS, { resourceVersion: '1', allowWatchBookmarks: true, timeoutSeconds: 10 });
    await world.clock.advance(125_000);
    expect(watch.events).toEqual(['BOOKMARK', 'BOOKMARK']);
    await world.machine.advance(10_000);
    expect(watch.events).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    expect(watch.ended).toBe(true);
  });

  test('the clock is held until the reader requests the next item', async () => {
    const world = await withConfigMaps();
    const stream = await world.transport.stream({ method: 'GET', path: CONFIG_MAPS, query: { watch: true } });
    const items = stream.items[Symbol.asyncIterator]();
    const first = items.next();
    expect(world.activity.count).toBe(0);
    await world.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await first;
    await settle();
    expect(world.activity.count).toBe(1);
    void items.next();
    expect(world.activity.count).toBe(0);
    await items.return?.();
    await world.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    await settle();
    expect(world.activity.count).toBe(0);
  });

  test('an aborted stream throws the reason of its signal', async () => {
    const world = await withConfigMaps();
    const controller = new AbortController();
    const stream = await world.transport.stream({ method: 'GET', path: CONFIG_MAPS, query: { watch: true }, signal: controller.signal });
    const next = stream.items[Symbol.asyncIterator]().next();
    controller.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});
