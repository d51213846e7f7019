/** Where an API server is and how to be let in. Plain data and one function, so that tests and the embedded cluster can make their own. */
export interface KubeConnection {
  /** `https://host:port`, with a path prefix where the server is behind one; no slash at the end. */
  readonly server: string;
  readonly tls: {
    readonly ca?: string | Buffer;
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    /** Name that the server's certificate must bear where it is not the host of `server`. */
    readonly serverName?: string;
    /** False only where the kubeconfig says `insecure-skip-tls-verify`. */
    readonly verify: boolean;
  };
  /**
   * Credentials of a request (lower-case names). Called for every request, so implementations keep what they found;
   * `fresh` forgets it first, after a 401.
   */
  headers(options?: { readonly fresh?: boolean }): Promise<Readonly<Record<string, string>>>;
}
