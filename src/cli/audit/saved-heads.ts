// The ends of chains as a file outside of the store: a chain that was set back to an earlier end is found by a later one.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { AccessEventVerification, ChainWitnesses } from '../../ports/store/access-events.ts';

type Head = AccessEventVerification['heads'][number];

/** Reads the file; empty where it does not exist yet. @throws Error where it is no such file */
export function readSavedHeads(path: string): ChainWitnesses {
  if (!existsSync(path)) return new Map();
  try {
    const { heads } = JSON.parse(readFileSync(path, 'utf8')) as { readonly heads: readonly Head[] };
    return new Map(heads.map(({ writer, sequence, hash }) => [writer, [{ sequence, hash }]]));
  } catch (cause) {
    throw new Error(`${path} is not a file that --heads has written; remove it to begin anew`, { cause });
  }
}

/** Replaces the file at once, so that an interrupted write leaves the earlier one. */
export function saveHeads(path: string, heads: readonly Head[]): void {
  const text = JSON.stringify({ heads: heads.map(({ writer, sequence, hash }) => ({ writer, sequence, hash })) }, null, 1);
  writeFileSync(`${path}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
