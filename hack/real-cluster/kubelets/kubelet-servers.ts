import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { signServing, type Signed } from '../certificates.ts';
import type { Caller, CallerReview } from './caller-review.ts';
import type { KubeletPages } from './kubelet-pages.ts';

export interface KubeletServersDependencies {
  readonly authority: Signed;
  readonly port: number;
  readonly review: CallerReview;
  readonly pages: KubeletPages;
}

/** One HTTPS server for each node, at the node's own address. */
export class KubeletServers {
  readonly #dependencies: KubeletServersDependencies;
  readonly #servers = new Map<string, { readonly address: string; readonly server: https.Server }>();

  constructor(dependencies: KubeletServersDependencies) {
    this.#dependencies = dependencies;
  }

  names(): readonly string[] {
    return [...this.#servers.keys()];
  }

  async serve(node: string, address: string): Promise<void> {
    if (this.#servers.get(node)?.address === address) return;
    this.remove(node);
    const { authority, port } = this.#dependencies;
    const { key, certificate } = await signServing(authority, `system:node:${node}`, [node], [address]);
    // A client's certificate is asked for and not demanded: most callers bring a token.
    const tls = { key, cert: certificate, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
    const server = https.createServer(tls, (request, response) => {
      this.#answer(node, request, response).catch((err: unknown) => end(response, 500, String(err)));
    });
    server.on('error', (err) => console.error(`kubelets: ${node} at ${address}:${port}:`, err.message));
    server.listen(port, address);
    this.#servers.set(node, { address, server });
  }

  remove(node: string): void {
    const { server } = this.#servers.get(node) ?? {};
    server?.close();
    server?.closeAllConnections();
    this.#servers.delete(node);
  }

  close(): void {
    for (const name of this.names()) this.remove(name);
  }

  async #answer(node: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, text, contentType = 'text/plain' } = await this.#answerOf(node, request);
    response.setHeader('content-type', contentType);
    end(response, status, text);
  }

  async #answerOf(node: string, request: IncomingMessage): Promise<Answer> {
    const { pathname } = new URL(request.url ?? '/', 'https://kubelet');
    const caller = callerOf(request);
    const verdict = caller === null ? 'unknown' : await this.#dependencies.review.review(caller, node, pathname);
    if (verdict === 'unknown') return { status: 401, text: 'Unauthorized' };
    if (verdict === 'forbidden') return { status: 403, text: `Forbidden (path=${pathname}, node=${node})` };
    const page = await this.#dependencies.pages.page(node, pathname);
    return page === null ? { status: 404, text: '404 page not found' } : { status: 200, ...page };
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

function callerOf(request: IncomingMessage): Caller | null {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined) return { token };
  // Of an HTTPS server, which hands out no other.
  const { authorized, subject } = peerOf(request.socket as unknown as PeerOfTls);
  if (!authorized) return null;
  const groups = [subject.O].flat().filter((group) => typeof group === 'string');
  return typeof subject.CN === 'string' ? { user: subject.CN, groups } : null;
}

type PeerOfTls = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;

function peerOf(socket: PeerOfTls): { readonly authorized: boolean; readonly subject: Partial<PeerCertificate['subject']> } {
  return socket.authorized ? { authorized: true, subject: socket.getPeerCertificate().subject } : { authorized: false, subject: {} };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.end(text);
}
