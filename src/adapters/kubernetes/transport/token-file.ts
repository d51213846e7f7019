// Bearer tokens in files: the pod's own, which the kubelet rotates on disk, and those of a kubeconfig.

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';

/** Reads the file at each call. While the file is missing or empty during a rotation, the last token is used. */
export class TokenFile {
  readonly #path: string;
  #last: string | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws Error where no token was ever read */
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

/** A source of credential headers from a token file. */
export function readTokenFile(path: string): () => Promise<Readonly<Record<string, string>>> {
  const token = new TokenFile(path);
  return async () => ({ authorization: `Bearer ${token.read()}` });
}

/**
 * Path of a user's token file; null: none. client-node treats the pod's own token as an auth provider, and ignores `tokenFile` of a
 * kubeconfig, which kubectl reads before `token`.
 * @param kubeconfig path of the kubeconfig in use; undefined: `KUBECONFIG`, then `~/.kube/config`
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
    const named = readUsers(file).find((each) => textAt(each, 'name') === user.name);
    const path = textAt(named, 'user', 'tokenFile');
    if (path !== null) return resolve(dirname(file), path);
  }
  return null;
}

function readUsers(file: string): readonly unknown[] {
  try {
    const users = (parse(readFileSync(file, 'utf8')) as { readonly users?: unknown } | null)?.users;
    return Array.isArray(users) ? users : [];
  } catch {
    return []; // one of several files may be missing; client-node reports where all are
  }
}

function textAt(value: unknown, ...path: readonly string[]): string | null {
  let found: unknown = value;
  for (const key of path)
    found = typeof found === 'object' && found !== null ? (found as Readonly<Record<string, unknown>>)[key] : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
}
