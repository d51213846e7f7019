import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ALL_CASES } from './all-cases.ts';
import type { ContractCase } from './contract-case.ts';

const FOLDER = join(import.meta.dirname, 'cases');

test('every case of every area is among those that a real server is asked', async () => {
  const all = new Set(ALL_CASES);
  for (const file of readdirSync(FOLDER)) {
    const areas = Object.values((await import(`./cases/${file}`)) as Record<string, readonly ContractCase[]>);
    const missing = areas.flat().filter((each) => !all.has(each));
    expect([file, missing.map(({ name }) => name)]).toEqual([file, []]);
  }
});

test('every rule has a name of its own', () => {
  const names = ALL_CASES.map(({ area, name }) => `${area}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
