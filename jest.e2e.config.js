// The suites of `make e2e`: long journeys on the embedded cluster, and everything on a real control plane.
import os from 'node:os';
import base from './jest.config.js';

/** Less memory does not carry two control planes beside each other. */
const TWO_LANES_BYTES = 8 * 1024 ** 3;

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/e2e', '<rootDir>/test/controlplane'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Two lanes: each suite has a cluster, ports and folders of its own, and most of its time is waiting for other programs.
  maxWorkers: os.totalmem() < TWO_LANES_BYTES ? 1 : 2,
  testSequencer: '<rootDir>/hack/longest-first.js',
  // Longer than any wait inside a test, whose own message says for what: test/e2e/eventually.ts.
  testTimeout: 1_800_000,
};
