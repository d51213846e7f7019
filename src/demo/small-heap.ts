import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 collect garbage earlier for the rest of the process. The demo's live heap has about 110 MB; by default V8 lets it grow to four
 * times that, plus a young generation of 48 MB (measured after four days at full speed: 460 MB resident; with these flags 270 MB, for a
 * fifth more CPU time). Both flags are read at each collection, so they apply to a running process.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=40');
  setFlagsFromString('--semi-space-growth-factor=1');
}
