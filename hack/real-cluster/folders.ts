// Where a cluster's files are kept, and where built binaries are: both outside the checkout, so that nothing is committed
// and `make clean` costs no ten minutes of compiling.

import { mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Root of the checkout. */
export const ROOT = join(import.meta.dirname, '..', '..');

const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Built binaries, by what they were built from. */
export function binariesFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'controlplane');
}

function clustersFolder(): string {
  return join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'evenkeel', 'clusters');
}

/** Held while a cluster chooses its ports. */
export function portsLock(): string {
  return join(clustersFolder(), 'ports.lock');
}

/** @throws where the name could not be a folder's */
export function clusterFolder(name: string): string {
  if (!NAME.test(name)) throw new Error(`cluster name "${name}": use up to 40 lower-case letters, digits and hyphens`);
  return join(clustersFolder(), name);
}

export function clusterNames(): readonly string[] {
  mkdirSync(clustersFolder(), { recursive: true });
  return readdirSync(clustersFolder(), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}
