// A constant text that is compressed and tagged once, not per request.

import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { isTagMatch } from './etag.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  readonly body: Buffer;
  /** Each encoding is a separate representation with its own ETag. */
  readonly tag: string;
}

/** Takes a fiftieth of the time of the maximum quality. */
const BROTLI_QUALITY = 5;

export class FixedText {
  readonly #type: string;
  readonly #text: Buffer;
  readonly #tag: string;
  /** Created at the first request for the encoding. */
  readonly #representations = new Map<Encoding, Representation>();

  /** @param type media type with charset */
  constructor(type: string, text: string) {
    this.#type = type;
    this.#text = Buffer.from(text);
    this.#tag = createHash('sha256').update(text).digest('base64url').slice(0, 32);
  }

  /** Sends the text in the best accepted encoding, or 304 for a known ETag. */
  send(request: Request, response: Response): void {
    const encoding = (request.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding;
    const { body, tag } = this.#representationOf(encoding);
    response.vary('Accept-Encoding');
    response.setHeader('ETag', tag);
    const known = request.get('if-none-match');
    if (known !== undefined && isTagMatch(known, tag)) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Type', this.#type);
    response.send(body);
  }

  #representationOf(encoding: Encoding): Representation {
    let known = this.#representations.get(encoding);
    if (known === undefined) {
      known = { body: encoded(this.#text, encoding), tag: encoding === 'identity' ? `"${this.#tag}"` : `"${this.#tag}-${encoding}"` };
      this.#representations.set(encoding, known);
    }
    return known;
  }
}

function encoded(text: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
    case 'gzip':
      return gzipSync(text);
    case 'identity':
      return text;
  }
}
