// Requests to the issuer, bounded in time and size, with the CA of the settings.

import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { CustomFetch } from 'openid-client';
import { MiB, SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { UnavailableError } from '../../ports/unavailable-error.ts';

/** Deadline of one answer: a user waits for it. */
export const ANSWER_MS: DurationMs = 10 * SECOND_MS;
const MAX_BYTES = MiB;
/** Codes of a certificate that a CA may lack. */
const UNTRUSTED = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

/**
 * A fetch for openid-client. Rejects with UnavailableError where the issuer does not answer in time, or answers that it cannot now.
 * @param caFile PEM file, read for each request since it may be rotated; empty: the CAs of Node.js
 */
export function issuerFetch(caFile: string, timer: MachineTimer): CustomFetch {
  return async (address, { method, headers, body }) => {
    const url = new URL(address);
    const stop = new AbortController();
    const cancel = timer.setTimer(ANSWER_MS, () =>
      stop.abort(new UnavailableError(`${url.origin} did not answer within ${ANSWER_MS / SECOND_MS} s`)),
    );
    try {
      const sent = body === undefined || body === null ? '' : await new Response(body).text();
      return await exchange(url, { method, headers }, sent, { caFile, signal: stop.signal });
    } catch (err) {
      if (stop.signal.aborted) throw stop.signal.reason as Error;
      if (err instanceof UnavailableError) throw err;
      throw new UnavailableError(`${url.origin} cannot be reached: ${describe(err)}`, { cause: err });
    } finally {
      cancel();
    }
  };
}

async function exchange(
  url: URL,
  head: { readonly method: string; readonly headers: Record<string, string> },
  sent: string,
  { caFile, signal }: { readonly caFile: string; readonly signal: AbortSignal },
): Promise<Response> {
  const length = sent === '' ? {} : { 'content-length': String(Buffer.byteLength(sent)) };
  const options = { ...head, headers: { ...head.headers, ...length }, signal };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request =
    url.protocol === 'https:'
      ? httpsRequest(url, { ...options, ...(caFile === '' ? {} : { ca: readFileSync(caFile) }) }, resolve)
      : httpRequest(url, options, resolve);
  request.on('error', reject);
  request.end(sent);
  const answer = await promise;
  const status = answer.statusCode ?? 0;
  const text = await readAll(answer, url);
  if (status >= 500 || status === 429) throw new UnavailableError(`${url.origin} answered HTTP ${status}`);
  const type = answer.headers['content-type'];
  const isEmpty = status < 200 || status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : text, {
    status: isEmpty ? 204 : status,
    headers: type === undefined ? {} : { 'content-type': type },
  });
}

async function readAll(answer: IncomingMessage, url: URL): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.byteLength;
    // Leaving the loop destroys the connection.
    if (bytes > MAX_BYTES) throw new UnavailableError(`${url.origin} sent more than ${MAX_BYTES / MiB} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function describe(err: unknown): string {
  const { message, code = '' } = err as NodeJS.ErrnoException;
  return UNTRUSTED.test(code) ? `${message}; auth.oidc.caFile sets the CA of its certificate` : message;
}
