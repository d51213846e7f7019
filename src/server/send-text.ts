import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { tagMatches } from './etag.ts';

/** Sends a fixed text with an entity tag of its own, or 304 to whoever has it. */
export function sendText(request: Request, response: Response, type: string, text: string): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 32)}"`;
  response.setHeader('ETag', tag);
  const known = request.get('if-none-match');
  if (known !== undefined && tagMatches(known, tag)) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', type);
  response.send(text);
}
