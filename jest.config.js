/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/src', '<rootDir>/packages', '<rootDir>/test', '<rootDir>/hack'],
  testMatch: ['**/*.test.ts'],
  // The folder is the tier: `make e2e` runs test/e2e and test/controlplane, `make soak` runs test/soak.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/controlplane/', '<rootDir>/test/soak/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        // Node.js takes a JSON import with its attribute alone.
        jsc: { target: 'es2024', parser: { syntax: 'typescript' }, experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Every property draws the same cases in each run; see test/properties.
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/properties/fast-check.ts' },
  globals: { propertyRuns: { factor: 1, seed: 1 } },
  // Two cores: one worker computes while the other waits for the embedded cluster.
  maxWorkers: 2,
  // A worker that has run a hundred suites gives back gigabytes when it ends, which half a second (the default) is not enough
  // for beside other work; what a test has left open keeps it for longer than this, and Jest warns.
  workerGracefulExitTimeout: 15_000,
  // Far over what anything takes: a slow machine is no failure, and whatever waits has a deadline of its own that says for what.
  testTimeout: 180_000,
};
