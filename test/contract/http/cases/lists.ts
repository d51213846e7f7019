// Lists: chunks, continue tokens, and the resourceVersion of a list.

import { expect } from '@jest/globals';
import { area, expectRefusal, succeeded, type CaseContext } from '../contract-case.ts';
import type { Json, RawResponse } from '../raw-client.ts';

/** Creates Secrets `s0`, `s1`, … in the case's namespace and returns the path of their collection. */
async function secrets(given: CaseContext, count: number): Promise<string> {
  const collection = `/api/v1/namespaces/${await given.namespace()}/secrets`;
  for (let index = 0; index < count; index++) {
    const labels = { parity: index % 2 === 0 ? 'even' : 'odd' };
    await given.create(collection, { metadata: { name: `s${index}`, labels }, stringData: { index: String(index) } });
  }
  return collection;
}

function names({ body }: RawResponse): string[] {
  return body.items.map((item: Json) => item.metadata.name);
}

/** All pages, by following the continue tokens. */
async function pages(given: CaseContext, collection: string, query: Record<string, string | number>): Promise<RawResponse[]> {
  const all: RawResponse[] = [];
  let token = '';
  do {
    const page = await given.client.get(collection, { ...query, ...(token === '' ? {} : { continue: token }) });
    succeeded(page, collection);
    all.push(page);
    token = page.body.metadata.continue ?? '';
  } while (token !== '');
  return all;
}

const tokenOf = (page: RawResponse): string => String(page.body.metadata.continue);

export const LIST_CASES = area('lists', {
  'a list has the list kind of its resource, a resourceVersion, and its objects ordered by name': async (given) => {
    const collection = await secrets(given, 3);
    const list = await given.client.get(collection);
    expect(list.body).toMatchObject({
      kind: 'SecretList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    });
    expect(names(list)).toEqual(['s0', 's1', 's2']);
  },
  'objects in a list have no kind and apiVersion': async (given) => {
    const collection = await secrets(given, 1);
    const { body } = await given.client.get(collection);
    expect([body.items[0].kind, body.items[0].apiVersion]).toEqual([undefined, undefined]);
  },
  'an empty list has an empty items array': async (given) => {
    const { body } = await given.client.get(await secrets(given, 0));
    expect(body.items).toEqual([]);
  },
  'a missing namespace has an empty list': async (given) => {
    const answer = await given.client.get(`/api/v1/namespaces/no-such-${given.id}/secrets`);
    expect([answer.status, answer.body.items]).toEqual([200, []]);
  },
  'a limit gives a first page and a continue token': async (given) => {
    const page = await given.client.get(await secrets(given, 3), { limit: 2 });
    expect(names(page)).toEqual(['s0', 's1']);
    expect(tokenOf(page)).toMatch(/^\S{4,}$/);
  },
  'remainingItemCount is the number of the remaining objects': async (given) => {
    const page = await given.client.get(await secrets(given, 5), { limit: 2 });
    expect(page.body.metadata.remainingItemCount).toBe(3);
  },
  'remainingItemCount is absent with a label selector': async (given) => {
    const page = await given.client.get(await secrets(given, 5), { limit: 1, labelSelector: 'parity=even' });
    expect(names(page)).toEqual(['s0']);
    expect(page.body.metadata.remainingItemCount).toBeUndefined();
    expect(tokenOf(page)).toMatch(/^\S{4,}$/);
  },
  'remainingItemCount is absent with a field selector': async (given) => {
    const page = await given.client.get(await secrets(given, 5), { limit: 1, fieldSelector: 'metadata.name!=s0' });
    expect(names(page)).toEqual(['s1']);
    expect(page.body.metadata.remainingItemCount).toBeUndefined();
  },
  'the pages contain the whole list, each object once and in order': async (given) => {
    const all = await pages(given, await secrets(given, 5), { limit: 2 });
    expect(all.map(names)).toEqual([['s0', 's1'], ['s2', 's3'], ['s4']]);
  },
  'the last page has neither token nor count': async (given) => {
    const all = await pages(given, await secrets(given, 3), { limit: 2 });
    expect(all.at(-1)?.body.metadata.continue ?? '').toBe('');
    expect(all.at(-1)?.body.metadata.remainingItemCount).toBeUndefined();
  },
  'a page that takes exactly the rest is the last': async (given) => {
    const all = await pages(given, await secrets(given, 4), { limit: 2 });
    expect(all.map(names)).toEqual([
      ['s0', 's1'],
      ['s2', 's3'],
    ]);
  },
  'a limit above the count gives the whole list': async (given) => {
    const page = await given.client.get(await secrets(given, 2), { limit: 10 });
    expect([names(page), page.body.metadata.continue ?? '']).toEqual([['s0', 's1'], '']);
  },
  'a limit of 0 is no limit': async (given) => {
    const page = await given.client.get(await secrets(given, 2), { limit: 0 });
    expect([names(page), page.body.metadata.continue ?? '']).toEqual([['s0', 's1'], '']);
  },
  'all pages have the resourceVersion of the first': async (given) => {
    const all = await pages(given, await secrets(given, 4), { limit: 1 });
    expect(new Set(all.map((page) => page.body.metadata.resourceVersion)).size).toBe(1);
  },
  'an object that is created after the first page is not on a later one': async (given) => {
    const collection = await secrets(given, 3);
    const first = await given.client.get(collection, { limit: 1 });
    await given.create(collection, { metadata: { name: 's1-late' } });
    const rest = await given.client.get(collection, { continue: tokenOf(first) });
    expect(names(rest)).toEqual(['s1', 's2']);
  },
  'an object that is deleted after the first page is still on a later one': async (given) => {
    const collection = await secrets(given, 3);
    const first = await given.client.get(collection, { limit: 1 });
    succeeded(await given.client.delete(`${collection}/s2`), 'delete');
    const rest = await given.client.get(collection, { continue: tokenOf(first) });
    expect(names(rest)).toEqual(['s1', 's2']);
  },
  'an object that changes after the first page is unchanged on a later one': async (given) => {
    const collection = await secrets(given, 2);
    const first = await given.client.get(collection, { limit: 1 });
    succeeded(await given.client.patch(`${collection}/s1`, 'merge', { metadata: { labels: { parity: 'changed' } } }), 'patch');
    const rest = await given.client.get(collection, { continue: tokenOf(first) });
    expect(rest.body.items[0].metadata.labels).toEqual({ parity: 'odd' });
  },
  'a selector applies to every page': async (given) => {
    const all = await pages(given, await secrets(given, 7), { limit: 2, labelSelector: 'parity=odd' });
    expect(all.flatMap(names)).toEqual(['s1', 's3', 's5']);
  },
  'a continue token may be used with another limit': async (given) => {
    const collection = await secrets(given, 5);
    const first = await given.client.get(collection, { limit: 1 });
    const second = await given.client.get(collection, { limit: 3, continue: tokenOf(first) });
    expect([names(second), second.body.metadata.remainingItemCount]).toEqual([['s1', 's2', 's3'], 1]);
  },
  'a continue token may be used twice': async (given) => {
    const collection = await secrets(given, 3);
    const token = tokenOf(await given.client.get(collection, { limit: 1 }));
    const twice = [await given.client.get(collection, { continue: token }), await given.client.get(collection, { continue: token })];
    expect(twice.map(names)).toEqual([
      ['s1', 's2'],
      ['s1', 's2'],
    ]);
  },
  'a list over all namespaces pages across them': async (given) => {
    const labels = { 'contract-case': given.id };
    for (const namespace of [await given.namespace(), await given.anotherNamespace()])
      await given.create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'only', labels } });
    const all = await pages(given, '/api/v1/secrets', { limit: 1, labelSelector: `contract-case=${given.id}` });
    const found = all.flatMap((page) => page.body.items.map((item: Json) => item.metadata.name));
    expect(found).toEqual(['only', 'only']);
  },
  'an invalid continue token is 400': async (given) => {
    const answer = await given.client.get(await secrets(given, 1), { limit: 1, continue: 'no-token' });
    expectRefusal(answer, 400, 'BadRequest', 'continue key is not valid');
  },
  'a continue token with a resourceVersion is 400': async (given) => {
    const collection = await secrets(given, 2);
    const first = await given.client.get(collection, { limit: 1 });
    const answer = await given.client.get(collection, { continue: tokenOf(first), resourceVersion: first.body.metadata.resourceVersion });
    expectRefusal(answer, 400, 'BadRequest', 'specifying resource version is not allowed when using continue');
  },
  'a continue token with resourceVersion 0 continues': async (given) => {
    const collection = await secrets(given, 2);
    const first = await given.client.get(collection, { limit: 1 });
    expect(names(await given.client.get(collection, { continue: tokenOf(first), resourceVersion: '0' }))).toEqual(['s1']);
  },
  'a limit that is not a number is 400': async (given) => {
    expectRefusal(await given.client.get(await secrets(given, 0), { limit: 'many' }), 400, 'BadRequest');
  },
  'a list without a resourceVersion contains all earlier writes': async (given) => {
    const collection = await secrets(given, 1);
    succeeded(await given.client.delete(`${collection}/s0`), 'delete');
    expect(names(await given.client.get(collection))).toEqual([]);
  },
  'a resourceVersion requires a list at least as new': async (given) => {
    const collection = await secrets(given, 1);
    const made = await given.create(collection, { metadata: { name: 'later' } });
    const { resourceVersion } = made.metadata;
    const list = await given.client.get(collection, { resourceVersion, resourceVersionMatch: 'NotOlderThan' });
    expect(names(list)).toEqual(['later', 's0']);
    expect(Number(list.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
  },
  'Exact shows the list at that resourceVersion': async (given) => {
    const collection = await secrets(given, 2);
    const { resourceVersion } = (await given.client.get(collection)).body.metadata;
    succeeded(await given.client.delete(`${collection}/s1`), 'delete');
    await given.create(collection, { metadata: { name: 'later' } });
    const list = await given.client.get(collection, { resourceVersion, resourceVersionMatch: 'Exact' });
    expect([names(list), list.body.metadata.resourceVersion]).toEqual([['s0', 's1'], resourceVersion]);
  },
  'Exact with a limit pages through the list at that resourceVersion': async (given) => {
    const collection = await secrets(given, 3);
    const { resourceVersion } = (await given.client.get(collection)).body.metadata;
    succeeded(await given.client.delete(`${collection}/s2`), 'delete');
    const first = await given.client.get(collection, { resourceVersion, resourceVersionMatch: 'Exact', limit: 2 });
    const second = await given.client.get(collection, { continue: tokenOf(first) });
    expect([names(first), names(second)]).toEqual([['s0', 's1'], ['s2']]);
  },
  'Exact with version 0 is 422': async (given) => {
    const answer = await given.client.get(await secrets(given, 0), { resourceVersion: '0', resourceVersionMatch: 'Exact' });
    expectRefusal(answer, 422, 'Invalid', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    expect(answer.body.details.causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'resourceVersionMatch' });
  },
  'a resourceVersionMatch without a resourceVersion is 422': async (given) => {
    const answer = await given.client.get(await secrets(given, 0), { resourceVersionMatch: 'NotOlderThan' });
    expectRefusal(answer, 422, 'Invalid', 'resourceVersionMatch is forbidden unless resourceVersion is provided');
  },
  'an unknown resourceVersionMatch is 422': async (given) => {
    const answer = await given.client.get(await secrets(given, 0), { resourceVersion: '1', resourceVersionMatch: 'Newest' });
    expectRefusal(answer, 422, 'Invalid', 'Unsupported value: "Newest"');
  },
  'a resourceVersionMatch with a continue token is 422': async (given) => {
    const collection = await secrets(given, 2);
    const first = await given.client.get(collection, { limit: 1 });
    const answer = await given.client.get(collection, {
      continue: tokenOf(first),
      resourceVersion: first.body.metadata.resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
    });
    expectRefusal(answer, 422, 'Invalid', 'resourceVersionMatch is forbidden when continue is provided');
  },
  'a future resourceVersion is 504 with retryAfterSeconds': async (given) => {
    const answer = await given.client.get(await secrets(given, 0), { resourceVersion: '999999999' });
    expectRefusal(answer, 504, 'Timeout', 'Too large resource version: 999999999');
    expect(answer.body.details).toMatchObject({ retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] });
  },
  'a resourceVersion that is not a number is refused': async (given) => {
    const answer = await given.client.get(await secrets(given, 0), { resourceVersion: 'newest' });
    expectRefusal(answer, 400, 'BadRequest', 'invalid resource version: resourceVersion: Invalid value: "newest"');
  },
  'a get may require a resourceVersion at least as new': async (given) => {
    const collection = await secrets(given, 1);
    const { body } = await given.client.get(`${collection}/s0`);
    const again = await given.client.get(`${collection}/s0`, { resourceVersion: body.metadata.resourceVersion });
    expect(again.body.metadata.uid).toBe(body.metadata.uid);
  },
  'a get may be served from the cache': async (given) => {
    const collection = await secrets(given, 1);
    const { body } = await given.client.get(`${collection}/s0`);
    const cached = await given.eventually('the cache has it: it follows every write', async () => {
      const answer = await given.client.get(`${collection}/s0`, { resourceVersion: '0' });
      return answer.status === 200 && answer;
    });
    expect(cached.body.metadata.uid).toBe(body.metadata.uid);
  },
  'deletecollection deletes what its selector matches, and returns it': async (given) => {
    const collection = await secrets(given, 4);
    const answer = await given.client.delete(collection, { query: { labelSelector: 'parity=odd' } });
    expect([answer.status, answer.body.kind, names(answer)]).toEqual([200, 'SecretList', ['s1', 's3']]);
    expect(names(await given.client.get(collection))).toEqual(['s0', 's2']);
  },
  'deletecollection in dry run deletes nothing': async (given) => {
    const collection = await secrets(given, 2);
    succeeded(await given.client.delete(collection, { query: { dryRun: 'All' } }), 'deletecollection');
    expect(names(await given.client.get(collection))).toEqual(['s0', 's1']);
  },
});
