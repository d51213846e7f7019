/**
 * Address, TLS and credentials of an API server. Plain data and one function, so that tests and the embedded cluster can create their own.
 */
export interface KubeConnection {
  /** `https://host:port`, with the path prefix of a proxy where there is one; no trailing slash. */
  readonly server: string;
  readonly tls: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    /** Host name of the server's certificate where it differs from `server`. */
    readonly serverName?: string;
    /** False only with `insecure-skip-tls-verify` in the kubeconfig. */
    readonly verify: boolean;
  };
  /**
   * Credential headers of a request (lower-case names). Called for every request, so implementations cache; `fresh` discards the cached
   * credentials first, after a 401.
   */
  headers(options?: { readonly fresh?: boolean }): Promise<Readonly<Record<string, string>>>;
}

/** A connection as data, which another thread opens with its own connections and credentials. */
export interface ConnectionSource extends Pick<KubeConnection, 'server' | 'tls'> {
  readonly credentials: CredentialSource;
}

export type CredentialSource =
  /** A bearer token that is rotated on disk, as in a pod. */
  | { readonly type: 'token-file'; readonly path: string }
  /** Headers that do not change; none with a client certificate. */
  | { readonly type: 'fixed'; readonly headers: Readonly<Record<string, string>> }
  /** An exec plugin or auth provider of a kubeconfig. */
  | { readonly type: 'kubeconfig'; readonly path?: string; readonly context: string };
