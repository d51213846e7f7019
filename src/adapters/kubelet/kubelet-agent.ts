// Connections to kubelets. A kept TLS connection takes about 140 kB and a new one about 2 ms of CPU, 1 ms where its session is resumed
// (Node.js 24, RSA 2048): a cluster of few hundred nodes is read over kept connections, a larger one mostly over resumed sessions.

import https from 'node:https';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

/** Connections kept while idle: 70 MB. */
const MAX_KEPT = 500;
/** TLS sessions kept for resumption, of some kB each: one per node of a large cluster. */
const MAX_SESSIONS = 8192;
/** Per kubelet: one page a minute, and the counters. */
const MAX_SOCKETS_PER_KUBELET = 2;

/** HTTPS agent that keeps a bounded number of idle connections, all with one TLS context. */
export class KubeletAgent extends https.Agent {
  readonly #kept = new Set<Duplex>();
  /** Sockets whose end removes them from the kept ones. */
  readonly #watched = new WeakSet<Duplex>();
  readonly #maxKept: number;

  constructor(trust: SecureContextOptions, { verify, maxKept = MAX_KEPT }: { readonly verify: boolean; readonly maxKept?: number }) {
    super({
      keepAlive: true,
      maxSockets: MAX_SOCKETS_PER_KUBELET,
      maxCachedSessions: MAX_SESSIONS,
      rejectUnauthorized: verify,
      secureContext: createSecureContext(trust),
    });
    this.#maxKept = maxKept;
  }

  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#kept.size >= this.#maxKept) return false;
    // eslint-disable-next-line @typescript-eslint/no-confusing-void-expression -- it returns whether the socket may be kept, which its types leave out
    const mayKeep: unknown = super.keepSocketAlive(socket);
    if (mayKeep === false) return false;
    if (!this.#watched.has(socket)) socket.once('close', () => this.#kept.delete(socket));
    this.#watched.add(socket);
    this.#kept.add(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, request: Parameters<https.Agent['reuseSocket']>[1]): void {
    this.#kept.delete(socket);
    super.reuseSocket(socket, request);
  }
}
