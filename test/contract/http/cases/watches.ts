// Watches: their start, events, end and resumption.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import { aGauge, defineGauge } from '../custom-kinds.ts';
import type { Json } from '../raw-client.ts';
import type { RawEvent } from '../raw-watch.ts';

async function secretsOf(given: CaseContext): Promise<string> {
  return `/api/v1/namespaces/${await given.namespace()}/secrets`;
}

const secret = (name: string, labels: Record<string, string> = {}): Json => ({ metadata: { name, labels } });
const relabel = (labels: Json): Json => ({ metadata: { labels } });

/** Events as `ADDED a`, `MODIFIED b`, … */
const described = (events: readonly RawEvent[]): string[] =>
  events.map(({ type, object }) => [type, object.metadata?.name].filter((word) => word !== undefined && word !== '').join(' '));

const isInitialEnd = ({ type, object }: RawEvent): boolean =>
  type === 'BOOKMARK' && object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';

async function versionOf(given: CaseContext, collection: string): Promise<string> {
  return (await given.client.get(collection)).body.metadata.resourceVersion;
}

const INITIAL = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true };

export const WATCH_CASES = area('watches', {
  'without a resourceVersion it starts with all existing objects, then sends changes': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a'));
    await given.create(collection, secret('b'));
    const watch = await given.client.watch(collection);
    expect(described(await watch.take(2)).sort()).toEqual(['ADDED a', 'ADDED b']);
    await given.create(collection, secret('c'));
    expect(described(await watch.take(1))).toEqual(['ADDED c']);
  },
  'from resourceVersion 0 it starts with all existing objects, then sends changes': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a'));
    await given.eventually('the cache has it: it follows every write', async () => {
      const list = await given.client.get(collection, { resourceVersion: made.metadata.resourceVersion });
      return list.status === 200;
    });
    const watch = await given.client.watch(collection, { resourceVersion: '0' });
    expect(described(await watch.take(1))).toEqual(['ADDED a']);
    succeeded(await given.client.delete(`${collection}/a`), 'delete');
    expect(described(await watch.take(1))).toEqual(['DELETED a']);
  },
  'from a resourceVersion it sends only later changes': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('before'));
    const resourceVersion = await versionOf(given, collection);
    await given.create(collection, secret('after'));
    succeeded(await given.client.patch(`${collection}/before`, 'merge', relabel({ seen: 'yes' })), 'patch');
    succeeded(await given.client.delete(`${collection}/after`), 'delete');
    const watch = await given.client.watch(collection, { resourceVersion });
    expect(described(await watch.take(3))).toEqual(['ADDED after', 'MODIFIED before', 'DELETED after']);
  },
  'an event has the whole object, with kind, apiVersion and the resourceVersion of the change': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, { ...secret('a'), stringData: { key: 'value' } });
    const watch = await given.client.watch(collection, { resourceVersion: '0' });
    const { object } = await watch.next();
    expect(object).toMatchObject({ kind: 'Secret', apiVersion: 'v1', data: { key: 'dmFsdWU=' } });
    expect(object.metadata).toMatchObject({ uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion });
  },
  'resourceVersions of events increase': async (given) => {
    const collection = await secretsOf(given);
    const resourceVersion = await versionOf(given, collection);
    for (const name of ['a', 'b', 'c']) await given.create(collection, secret(name));
    const events = await (await given.client.watch(collection, { resourceVersion })).take(3);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((left, right) => left - right));
    expect(versions[0]).toBeGreaterThan(Number(resourceVersion));
  },
  'a deletion has the last state with the resourceVersion of the deletion': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a', { kept: 'yes' }));
    const watch = await given.client.watch(collection, { resourceVersion: made.metadata.resourceVersion });
    succeeded(await given.client.delete(`${collection}/a`), 'delete');
    const { type, object } = await watch.next();
    expect([type, object.metadata.labels]).toEqual(['DELETED', { kept: 'yes' }]);
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  },
  'a write that changes nothing sends no event': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a', { color: 'blue' }));
    const watch = await given.client.watch(collection, { resourceVersion: made.metadata.resourceVersion });
    const same = await given.client.patch(`${collection}/a`, 'merge', relabel({ color: 'blue' }));
    expect(same.body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    await given.create(collection, secret('b'));
    expect(described(await watch.take(1))).toEqual(['ADDED b']);
  },
  'a dry run sends no event': async (given) => {
    const collection = await secretsOf(given);
    const resourceVersion = await versionOf(given, collection);
    const watch = await given.client.watch(collection, { resourceVersion });
    succeeded(await given.client.post(collection, secret('dry'), { query: { dryRun: 'All' } }), 'dry run');
    await given.create(collection, secret('wet'));
    expect(described(await watch.take(1))).toEqual(['ADDED wet']);
  },
  'it resumes where another watch ended, without missing or repeating an event': async (given) => {
    const collection = await secretsOf(given);
    const first = await given.client.watch(collection);
    await given.create(collection, secret('a'));
    const { object } = await first.next();
    first.close();
    await given.create(collection, secret('b'));
    await given.create(collection, secret('c'));
    const second = await given.client.watch(collection, { resourceVersion: object.metadata.resourceVersion });
    expect(described(await second.take(2))).toEqual(['ADDED b', 'ADDED c']);
  },
  'the watch of a namespace sends no events of another': async (given) => {
    const collection = await secretsOf(given);
    const other = `/api/v1/namespaces/${await given.anotherNamespace()}/secrets`;
    const watch = await given.client.watch(collection);
    await given.create(other, secret('elsewhere'));
    await given.create(collection, secret('here'));
    expect(described(await watch.take(1))).toEqual(['ADDED here']);
  },
  'the watch of all namespaces sends events of each': async (given) => {
    const collection = await secretsOf(given);
    const labels = { case: given.id };
    const watch = await given.client.watch('/api/v1/secrets', { labelSelector: `case=${given.id}` });
    await given.create(collection, secret('a', labels));
    await given.create(`/api/v1/namespaces/${await given.anotherNamespace()}/secrets`, secret('b', labels));
    expect(described(await watch.take(2))).toEqual(['ADDED a', 'ADDED b']);
  },
  'a label selector: an object that starts to match is ADDED, one that stops is DELETED': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a', { color: 'red' }));
    const watch = await given.client.watch(collection, {
      labelSelector: 'color=blue',
      resourceVersion: await versionOf(given, collection),
    });
    for (const labels of [{ color: 'blue' }, { color: 'blue', size: '1' }, { color: 'red', size: '1' }, { color: 'red', size: '2' }])
      succeeded(await given.client.patch(`${collection}/a`, 'merge', relabel(labels)), 'patch');
    await given.create(collection, secret('end', { color: 'blue' }));
    expect(described(await watch.take(4))).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED end']);
  },
  'an object that stops to match is sent in its last matching state, with the resourceVersion of the change': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a', { color: 'blue' }));
    const watch = await given.client.watch(collection, { labelSelector: 'color=blue', resourceVersion: made.metadata.resourceVersion });
    const changed = await given.client.patch(`${collection}/a`, 'merge', relabel({ color: 'red' }));
    const { type, object } = await watch.next();
    expect([type, object.metadata.labels, object.metadata.resourceVersion]).toEqual([
      'DELETED',
      { color: 'blue' },
      changed.body.metadata.resourceVersion,
    ]);
  },
  'a deletion outside of the selector sends no event': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a', { color: 'red' }));
    const watch = await given.client.watch(collection, {
      labelSelector: 'color=blue',
      resourceVersion: await versionOf(given, collection),
    });
    succeeded(await given.client.delete(`${collection}/a`), 'delete');
    await given.create(collection, secret('b', { color: 'blue' }));
    expect(described(await watch.take(1))).toEqual(['ADDED b']);
  },
  'a field selector watches one name': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a'));
    const watch = await given.client.watch(collection, { fieldSelector: 'metadata.name=b' });
    await given.create(collection, secret('b'));
    succeeded(await given.client.delete(`${collection}/b`), 'delete');
    expect(described(await watch.take(2))).toEqual(['ADDED b', 'DELETED b']);
  },
  'the path of one object ignores watch=true: it returns the object': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a'));
    const answer = await given.client.get(`${collection}/a`, { watch: true });
    expect([answer.status, answer.body.kind, answer.body.metadata.name]).toEqual([200, 'Secret', 'a']);
  },
  'an object may be watched before it exists': async (given) => {
    const collection = await secretsOf(given);
    const watch = await given.client.watch(collection, { fieldSelector: 'metadata.name=later' });
    await given.create(collection, secret('later'));
    expect(described(await watch.take(1))).toEqual(['ADDED later']);
  },
  'sendInitialEvents: all existing objects, then a bookmark, then changes': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a'));
    await given.create(collection, secret('b'));
    const watch = await given.client.watch(collection, INITIAL);
    const initial = await watch.through(isInitialEnd);
    expect(described(initial.slice(0, -1)).sort()).toEqual(['ADDED a', 'ADDED b']);
    await given.create(collection, secret('c'));
    expect(described(await watch.through(({ type }) => type === 'ADDED')).at(-1)).toBe('ADDED c');
  },
  'the bookmark after the initial events has kind and resourceVersion only': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a'));
    const watch = await given.client.watch(collection, INITIAL);
    const { object } = (await watch.through(isInitialEnd)).at(-1) ?? { object: {} };
    expect(object).toMatchObject({ kind: 'Secret', apiVersion: 'v1' });
    expect(object.metadata.name).toBeUndefined();
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
  },
  'sendInitialEvents without objects is only the bookmark': async (given) => {
    const watch = await given.client.watch(await secretsOf(given), INITIAL);
    expect(isInitialEnd(await watch.next())).toBe(true);
  },
  'sendInitialEvents applies selectors': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a', { color: 'blue' }));
    await given.create(collection, secret('b', { color: 'red' }));
    const watch = await given.client.watch(collection, { ...INITIAL, labelSelector: 'color=red' });
    expect(described((await watch.through(isInitialEnd)).slice(0, -1))).toEqual(['ADDED b']);
  },
  'sendInitialEvents=false without a resourceVersion sends only changes': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('before'));
    const query = { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' };
    const watch = await given.client.watch(collection, query);
    await given.create(collection, secret('after'));
    expect(described(await watch.take(1))).toEqual(['ADDED after']);
  },
  'sendInitialEvents from resourceVersion 0 is served from the cache, and ends with the bookmark': async (given) => {
    const collection = await secretsOf(given);
    const watch = await given.client.watch(collection, { ...INITIAL, resourceVersion: '0' });
    expect(isInitialEnd((await watch.through(isInitialEnd)).at(-1)!)).toBe(true);
  },
  'sendInitialEvents without resourceVersionMatch is 422': async (given) => {
    const answer = await given.client.get(await secretsOf(given), { watch: true, sendInitialEvents: true });
    expectRefusal(answer, 422, 'Invalid', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  },
  'sendInitialEvents of a list is 422': async (given) => {
    const answer = await given.client.get(await secretsOf(given), { ...INITIAL });
    expectRefusal(answer, 422, 'Invalid', 'sendInitialEvents is forbidden for list');
  },
  'resourceVersionMatch of a watch is 422 without sendInitialEvents': async (given) => {
    const answer = await given.client.get(await secretsOf(given), {
      watch: true,
      resourceVersion: '1',
      resourceVersionMatch: 'NotOlderThan',
    });
    expectRefusal(answer, 422, 'Invalid', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  },
  'a watch refuses resourceVersionMatch=Exact': async (given) => {
    const answer = await given.client.get(await secretsOf(given), { watch: true, sendInitialEvents: true, resourceVersionMatch: 'Exact' });
    expectRefusal(answer, 422, 'Invalid', 'resourceVersionMatch');
  },
  'timeoutSeconds ends the stream': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, secret('a'));
    const watch = await given.client.watch(collection, { timeoutSeconds: 3 });
    expect(described(await watch.rest())).toEqual(['ADDED a']);
  },
  'with bookmarks allowed, a stream that ends by its timeout sends a bookmark first': async (given) => {
    const collection = await secretsOf(given);
    const made = await given.create(collection, secret('a'));
    const watch = await given.client.watch(collection, { allowWatchBookmarks: true, timeoutSeconds: 4 });
    const events = await watch.rest();
    expect(described(events.slice(0, 1))).toEqual(['ADDED a']);
    const bookmarks = events.slice(1);
    expect(bookmarks.length).toBeGreaterThanOrEqual(1);
    for (const { type, object } of bookmarks) {
      expect([type, object.kind, object.apiVersion]).toEqual(['BOOKMARK', 'Secret', 'v1']);
      expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
    }
  },
  'without bookmarks allowed there are none': async (given) => {
    const watch = await given.client.watch(await secretsOf(given), { timeoutSeconds: 4 });
    expect(described(await watch.rest())).toEqual([]);
  },
  'a resourceVersion from before the kind was served is too old: an ERROR event with 410, then the end': async (given) => {
    const old = (await given.create(await secretsOf(given), secret('old'))).metadata.resourceVersion;
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a'));
    const watch = await given.client.watch(kind.collection, { resourceVersion: old });
    const events = await watch.rest();
    expect(described(events)).toEqual(['ERROR']);
    expect(events[0]?.object).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
    expect(events[0]?.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
  },
  'a resourceVersion that is not a number is refused': async (given) => {
    const answer = await given.client.get(await secretsOf(given), { watch: true, resourceVersion: 'newest' });
    expect(answer.body).toMatchObject({
      kind: 'Status',
      code: 500,
      message: expect.stringMatching(/^resourceVersion: Invalid value: "newest"/),
    });
  },
  'an invalid selector is 400, not a stream': async (given) => {
    const answer = await given.client.get(await secretsOf(given), { watch: true, labelSelector: 'a b' });
    expectRefusal(answer, 400, 'BadRequest');
  },
  'custom resources are watched like built-in ones': async (given) => {
    const kind = await defineGauge(given);
    const watch = await given.client.watch(kind.collection);
    await given.create(kind.collection, aGauge(kind, 'a', { spec: { level: 1 } }));
    succeeded(await given.client.patch(`${kind.collection}/a`, 'merge', { spec: { level: 2 } }), 'patch');
    succeeded(await given.client.delete(`${kind.collection}/a`), 'delete');
    const events = await watch.take(3);
    expect(described(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(events.map(({ object }) => [object.kind, object.apiVersion, object.spec.level])).toEqual([
      ['Gauge', kind.apiVersion, 1],
      ['Gauge', kind.apiVersion, 2],
      ['Gauge', kind.apiVersion, 2],
    ]);
  },
  'custom resources have initial events and the bookmark after them': async (given) => {
    const kind = await defineGauge(given);
    await given.create(kind.collection, aGauge(kind, 'a'));
    const watch = await given.client.watch(kind.collection, INITIAL);
    const events = await watch.through(isInitialEnd);
    expect(described(events.slice(0, -1))).toEqual(['ADDED a']);
    expect(events.at(-1)?.object).toMatchObject({ kind: 'Gauge', apiVersion: kind.apiVersion });
  },
  'a deletion with a finalizer is first MODIFIED, then DELETED': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a', finalizers: ['example.com/wait'] } });
    const watch = await given.client.watch(collection, { resourceVersion: await versionOf(given, collection) });
    succeeded(await given.client.delete(`${collection}/a`), 'delete');
    succeeded(await given.client.patch(`${collection}/a`, 'merge', { metadata: { finalizers: null } }), 'patch');
    const events = await watch.take(2);
    expect(described(events)).toEqual(['MODIFIED a', 'DELETED a']);
    expect(events[0]?.object.metadata.deletionTimestamp).toEqual(expect.any(String));
  },
  'the stream is JSON, one event per line': async (given) => {
    const watch = await given.client.watch(await secretsOf(given));
    expect(watch.contentType).toMatch(/^application\/json/);
  },
});
