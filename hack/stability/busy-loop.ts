// Keeps one core busy until its parent ends in any way, which closes the channel to it.

import process from 'node:process';

const SLICE_MS = 50;

process.on('disconnect', () => process.exit());
// Ctrl-C reaches every process of the terminal; the parent decides when the load ends.
process.on('SIGINT', () => undefined);

function spin(): void {
  const end = performance.now() + SLICE_MS;
  while (performance.now() < end);
  setImmediate(spin);
}
spin();
