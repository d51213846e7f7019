import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entityTag } from './etag.ts';
import { SerializedPages } from './serialized-pages.ts';

describe('serialized pages', () => {
  const records = Array.from({ length: 4 }, (_, name) => ({ name }));
  const page = fc.record({
    request: fc.constantFrom('/nodes', '/nodes?limit=1', '/pods'),
    data: fc.oneof(
      fc.array(fc.constantFrom<unknown>(...records), { maxLength: 3 }),
      fc.array(fc.record({ name: fc.nat(3) }), { maxLength: 3 }),
      fc.array(fc.nat(3), { maxLength: 3 }),
      fc.record({ name: fc.nat(3) }),
    ),
    total: fc.nat(2),
    scopeKey: fc.constantFrom('admin', 'viewer:pay'),
    form: fc.constantFrom('json', 'csv'),
  });

  test('have the JSON and the ETag of their data, total, scope and form, whatever was read before', () => {
    fc.assert(
      fc.property(fc.array(page, { maxLength: 30 }), (reads) => {
        const pages = new SerializedPages();
        for (const { request, data, total, scopeKey, form } of reads) {
          const { json, tag } = pages.of(request, data, total, scopeKey, form);
          expect([json, tag]).toEqual([JSON.stringify(data), entityTag(data, total, scopeKey, form)]);
        }
      }),
    );
  });

  test('are bounded in number', () => {
    const pages = new SerializedPages();
    const first = pages.of('/nodes?q=0', records, 4, 'admin', 'json');
    expect(pages.of('/nodes?q=0', records, 4, 'admin', 'json')).toBe(first);
    for (let count = 1; count <= 64; count += 1) pages.of(`/nodes?q=${count}`, records, 4, 'admin', 'json');
    expect(pages.of('/nodes?q=0', records, 4, 'admin', 'json')).not.toBe(first);
  });
});
