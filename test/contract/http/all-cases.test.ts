import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ALL_CASES } from './all-cases.ts';
import type { ContractCase } from './contract-case.ts';

const FOLDER = join(import.meta.dirname, 'cases');

test('every case of every area also runs on a real server', async () => {
  const all = new Set(ALL_CASES);
  for (const file of readdirSync(FOLDER)) {
    const areas = Object.values((await import(`./cases/${file}`)) as Record<string, readonly ContractCase[]>);
    const missing = areas.flat().filter((contractCase) => !all.has(contractCase));
    expect([file, missing.map(({ name }) => name)]).toEqual([file, []]);
  }
});

test('every rule has a unique name', () => {
  const names = ALL_CASES.map(({ area, name }) => `${area}: ${name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
