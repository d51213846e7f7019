// The suites of `make e2e`: long journeys on the embedded cluster, and everything on a real control plane.
import os from 'node:os';
import process from 'node:process';
import base from './jest.config.js';

/** A control plane with its controller, Prometheus and what a suite starts beside it. */
const LANE_BYTES = 4 * 1024 ** 3;
/** Of a container, where it is less than the machine has; 0 where none is set. */
const BYTES = Math.min(os.totalmem(), process.constrainedMemory() || Infinity);
/** With three, two cores are idle a quarter of the time: suites wait for other programs, and for faults to pass. */
const MAX_LANES = 4;

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/e2e', '<rootDir>/test/controlplane'],
  testPathIgnorePatterns: ['/node_modules/'],
  // Lanes beside each other: each suite has a cluster, ports and folders of its own.
  maxWorkers: Math.max(1, Math.min(MAX_LANES, Math.floor(BYTES / LANE_BYTES))),
  testSequencer: '<rootDir>/hack/longest-first.js',
  // Longer than any wait inside a test, whose own message says for what: test/eventually.ts.
  testTimeout: 1_800_000,
};
