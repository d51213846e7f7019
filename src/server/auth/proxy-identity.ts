import type { Request } from 'express';
import { parseEmail } from '../../core/access/grant.ts';
import type { Logger } from '../../ports/logger.ts';
import { addressMatcher } from '../../runtime/clients/address-ranges.ts';
import { invalidRequest } from '../problem.ts';

/** `auth.proxy`: a reverse proxy that identifies users. */
export interface IdentityProxy {
  /** Name of the header with the e-mail address. */
  readonly header: string;
  /** Addresses and ranges of the proxy. */
  readonly addresses: readonly string[];
}

/** Reads the user that a trusted reverse proxy has identified. */
export class ProxyIdentity {
  readonly #header: string;
  readonly #isProxy: (address: string) => boolean;
  readonly #logger: Logger;

  constructor({ header, addresses }: IdentityProxy, logger: Logger) {
    this.#header = header.toLowerCase();
    this.#isProxy = addressMatcher(addresses);
    this.#logger = logger;
  }

  /**
   * The e-mail address in the header of the proxy; null: it names none. The peer of the connection has to be the proxy: X-Forwarded-For is
   * not read, since a client writes it as well.
   * @throws Problem where the header is not exactly one e-mail address
   */
  emailOf(request: Request): string | null {
    const lines = request.headersDistinct[this.#header] ?? [];
    // A proxy may send an empty header where no user has signed in.
    if (lines.every((line) => line.trim() === '')) return null;
    const peer = request.socket.remoteAddress ?? '';
    if (!this.#isProxy(peer)) {
      this.#logger.warn('Ignored the identity header of an address that is not in auth.proxy.addresses', { address: peer });
      return null;
    }
    const [line = '', ...others] = lines;
    const email = others.length > 0 || !isPlain(line) ? null : parseEmail(line);
    if (email === null) {
      throw invalidRequest([{ path: `header.${this.#header}`, message: 'must be one e-mail address, in one line of the proxy' }]);
    }
    return email;
  }
}

/** Printable ASCII without the separators of lists and display names. Node.js reads other bytes as Latin-1, which is another address. */
function isPlain(line: string): boolean {
  return /^[\x21-\x7e]+$/.test(line) && !/[,;<>"()]/.test(line);
}
