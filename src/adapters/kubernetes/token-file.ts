// Bearer tokens in files: the pod's own, which its kubelet renews on disk, and those that a kubeconfig points to.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';

/** Reads the file each time it is asked. A moment in which it is missing or empty (it is being replaced) keeps the last token. */
export class TokenFile {
  readonly #path: string;
  #last: string | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws when there has never been a token in it */
  read(): string {
    try {
      const token = readFileSync(this.#path, 'utf8').trim();
      if (token !== '') this.#last = token;
    } catch (cause) {
      if (this.#last === null)
        throw new Error(`token file ${this.#path} cannot be read: mount the ServiceAccount's token there`, { cause });
    }
    if (this.#last === null) throw new Error(`token file ${this.#path} is empty: write a token of the ServiceAccount to it`);
    return this.#last;
  }
}

/**
 * File of a user's token; null: it has none. client-node knows the pod's own as an auth provider, and leaves out
 * `tokenFile` of a kubeconfig, which kubectl reads before `token`.
 *
 * @param kubeconfig path of the one in use; unset: `KUBECONFIG`, then `~/.kube/config`
 */
export function tokenFileOf(
  user: { readonly name: string; readonly authProvider?: unknown },
  kubeconfig: string | undefined,
): string | null {
  const mounted = textAt(user.authProvider, 'config', 'tokenFile');
  if (mounted !== null) return mounted;
  const files =
    kubeconfig === undefined ? (process.env['KUBECONFIG'] ?? join(homedir(), '.kube', 'config')).split(delimiter) : [kubeconfig];
  for (const file of files) {
    const named = usersIn(file).find((each) => textAt(each, 'name') === user.name);
    const path = textAt(named, 'user', 'tokenFile');
    if (path !== null) return resolve(dirname(file), path);
  }
  return null;
}

function usersIn(file: string): readonly unknown[] {
  try {
    const users = (parse(readFileSync(file, 'utf8')) as { readonly users?: unknown } | null)?.users;
    return Array.isArray(users) ? users : [];
  } catch {
    return []; // one of several may be missing; that all are is client-node's to say
  }
}

function textAt(value: unknown, ...path: readonly string[]): string | null {
  let found: unknown = value;
  for (const key of path)
    found = typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
}
