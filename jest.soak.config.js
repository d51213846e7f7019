// What takes tens of minutes and is drawn wide: `make soak`, on demand. One suite after the other, as each keeps both cores busy.
import base from './jest.config.js';

/** @type {import('jest').Config} */
export default {
  ...base,
  roots: ['<rootDir>/test/soak'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 600_000,
};
