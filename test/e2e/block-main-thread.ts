// Preloaded into a controller: SIGUSR2 blocks its main thread, as a long computation does, while the file of BLOCKED_BY exists.

import { existsSync, writeSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const CHECK_PERIOD_MS = 50;
const STDERR = 2;

const file = process.env['BLOCKED_BY'] ?? '';
const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

if (isMainThread) {
  process.on('SIGUSR2', () => {
    writeSync(STDERR, 'main thread blocked\n');
    while (existsSync(file)) Atomics.wait(cell, 0, 0, CHECK_PERIOD_MS);
  });
}
