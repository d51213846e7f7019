// `make soak`: suites that take hours, on demand. Besides test/soak it runs every suite with properties again, with
// 20 times the cases of another seed.
import process from 'node:process';
import base from './jest.config.js';
import { suitesWithProperties } from './hack/ci/test-paths.ts';
import { numberFrom } from './test/soak/settings.ts';

const factor = numberFrom('SOAK_RUNS', 20);
const seed = numberFrom('SOAK_SEED', Math.floor(Math.random() * 2 ** 31), 0);
process.stderr.write(`properties: SOAK_RUNS=${factor} times the cases, SOAK_SEED=${seed}\n`);

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/soak', '<rootDir>/src', '<rootDir>/packages'],
  testMatch: ['<rootDir>/test/soak/**/*.test.ts', ...suitesWithProperties(import.meta.dirname).map((suite) => `<rootDir>/${suite}`)],
  testPathIgnorePatterns: ['/node_modules/'],
  globals: { propertyRuns: { factor, seed } },
  testTimeout: 3_600_000,
};
