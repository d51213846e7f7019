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
