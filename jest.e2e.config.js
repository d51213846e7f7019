// The suites of `make e2e`: long journeys on the embedded cluster, and everything on a real control plane.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/e2e', '<rootDir>/test/controlplane'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Two lanes: each suite has a cluster, ports and folders of its own, and most of its time is waiting for other programs.
  maxWorkers: 2,
  testSequencer: '<rootDir>/hack/longest-first.js',
  testTimeout: 600_000,
};
