// Folders of the clusters' files and of the built binaries. Both are outside of the checkout, so that they are not committed and `make
// clean` does not cost ten minutes of compiling.

import { mkdirSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Root of the checkout. */
export const ROOT = join(import.meta.dirname, '..', '..');

const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Folder of the built binaries, which are named by a digest of their sources. */
export function binariesFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'controlplane');
}

function clustersFolder(): string {
  return join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'evenkeel', 'clusters');
}

/** Lock that a cluster holds while it chooses its ports. */
export function portsLock(): string {
  return join(clustersFolder(), 'ports.lock');
}

/** Folder of a cluster. @throws when the name is not a valid folder name */
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
