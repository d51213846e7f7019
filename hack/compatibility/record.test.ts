import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findBreaks } from './breaks.ts';
import { readPresentVersion, readPreviousVersion, recordVersion } from './record.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evenkeel-record-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a recorded version is read back, without descriptions', async () => {
  const present = readPresentVersion();
  await recordVersion(present, folder);
  const read = readPreviousVersion(folder);
  expect(read.definitions.map(({ metadata }) => metadata.name)).toEqual(present.definitions.map(({ metadata }) => metadata.name));
  expect(Object.keys(read.settings)).toEqual(Object.keys(present.settings));
  expect([findBreaks(read, present), findBreaks(present, read)]).toEqual([[], []]);
  expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain('"help"');
});

test('fields named like a description remain in the record', async () => {
  const schema = { type: 'object', properties: { help: { type: 'string', description: 'A field.' } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const spec = { scope: 'Cluster', names: { kind: 'Boat' }, versions: [version] };
  await recordVersion({ definitions: [{ metadata: { name: 'boats.example.io' }, spec }], settings: {} }, folder);
  expect(readPreviousVersion(folder).definitions[0]?.spec.versions[0]?.schema.openAPIV3Schema).toEqual({
    type: 'object',
    properties: { help: { type: 'string' } },
  });
});

test('a kind that is no longer defined is removed from the record with the next version', async () => {
  const present = readPresentVersion();
  await recordVersion(present, folder);
  await recordVersion({ ...present, definitions: present.definitions.slice(1) }, folder);
  expect(readPreviousVersion(folder).definitions).toHaveLength(present.definitions.length - 1);
});
