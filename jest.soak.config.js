// `make soak`: suites that take hours, on demand. Besides test/soak it runs every suite with properties again, with
// 20 times the cases of another seed.
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';
import base from './jest.config.js';
import { numberFrom } from './test/soak/settings.ts';

const factor = numberFrom('SOAK_RUNS', 20);
const seed = numberFrom('SOAK_SEED', Math.floor(Math.random() * 2 ** 31), 0);
process.stderr.write(`properties: SOAK_RUNS=${factor} times the cases, SOAK_SEED=${seed}\n`);

const withProperties = globSync('src/**/*.test.ts', { cwd: import.meta.dirname }).filter((suite) =>
  readFileSync(suite, 'utf8').includes("from 'fast-check'"),
);

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/soak', '<rootDir>/src'],
  testMatch: ['<rootDir>/test/soak/**/*.test.ts', ...withProperties.map((suite) => `<rootDir>/${suite}`)],
  testPathIgnorePatterns: ['/node_modules/'],
  globals: { propertyRuns: { factor, seed } },
  testTimeout: 3_600_000,
};
