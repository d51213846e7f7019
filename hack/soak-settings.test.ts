// The numbers that `make soak` reads from the environment.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { numberFrom } from '../test/soak/settings.ts';

const CONFIG = join(import.meta.dirname, '..', 'jest.soak.config.js');

function loadConfig(variables: NodeJS.ProcessEnv): { readonly status: number | null; readonly stderr: string } {
  const env = { ...process.env, SOAK_RUNS: '1', SOAK_SEED: '1', ...variables };
  return spawnSync(process.execPath, [CONFIG], { env, encoding: 'utf8' });
}

describe('The settings of make soak', () => {
  test.each(['0', 'abc', '', '1.5', '-1', '1e3', '9007199254740993'])('a number of kills or seeds refuses %j', (given) => {
    expect(() => numberFrom('SOAK_KILLS', 1000, 1, { SOAK_KILLS: given })).toThrow(
      `SOAK_KILLS: "${given}" must be a whole number of at least 1`,
    );
  });

  test('a seed may be 0; a missing number has its default', () => {
    expect(numberFrom('SOAK_SEED', 7, 0, { SOAK_SEED: '0' })).toBe(0);
    expect(numberFrom('SOAK_SEED', 7, 0, {})).toBe(7);
    expect(() => numberFrom('SOAK_SEED', 7, 0, { SOAK_SEED: 'abc' })).toThrow('SOAK_SEED: "abc" must be a whole number of at least 0');
  });

  test.each([
    ['SOAK_RUNS', '0', 1],
    ['SOAK_RUNS', 'abc', 1],
    ['SOAK_RUNS', '', 1],
    ['SOAK_SEED', 'abc', 0],
  ])('jest.soak.config.js refuses %s=%j', (name, given, minimum) => {
    const { status, stderr } = loadConfig({ [name]: given });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`${name}: "${given}" must be a whole number of at least ${minimum}`)]);
  });

  test('jest.soak.config.js prints the seed', () => {
    expect(loadConfig({ SOAK_SEED: '0' })).toMatchObject({ status: 0, stderr: expect.stringContaining('SOAK_SEED=0') });
  });
});
