import { describe, expect, test } from '@jest/globals';
import { extractFile, faultOf, textOf, type ExtractFile } from './extract-file.ts';

const version = { module: 'k8s.io/kubernetes', version: 'v1.36.3', sum: 'h1:abc' };
const file = extractFile(version, 'api/openapi-spec/v3', { Node: { type: 'object' }, Pod: { type: 'object' } });

describe('the extract', () => {
  test('is JSON with one line per schema', () => {
    const text = textOf(file);
    expect(JSON.parse(text)).toEqual(file);
    expect(text.split('\n')).toContain('"Node":{"type":"object"},');
  });

  test('has no fault as it was written', () => {
    expect(faultOf(JSON.parse(textOf(file)) as ExtractFile, version, ['Node', 'Pod'])).toBeUndefined();
  });

  test.each<[string, ExtractFile, string[], RegExp]>([
    ['of another version', { ...file, source: { ...file.source, version: 'v1.35.0' } }, ['Node', 'Pod'], /v1\.35\.0.*requires v1\.36\.3/],
    ['with another checksum', { ...file, source: { ...file.source, sum: 'h1:xyz' } }, ['Node', 'Pod'], /v1\.36\.3/],
    [
      'changed by hand',
      { ...file, schemas: { ...file.schemas, Pod: { type: 'string' } } },
      ['Node', 'Pod'],
      /those that it was written with/,
    ],
    ['without a kind that is served', file, ['Job', 'Node', 'Pod'], /kinds that the embedded API server serves/],
  ])('is stale %s', (_, stale, names, words) => {
    expect(faultOf(stale, version, names)).toMatch(words);
  });
});
