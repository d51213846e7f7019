// The dashboard API as curl sees it.

import { boundedFetch, type FetchedAnswer } from '../bounded-fetch.ts';

export interface Envelope<T> {
  readonly data: T;
  readonly meta: {
    readonly total: number;
    readonly timestamp: string;
    readonly requestId: string;
    readonly dataAge?: number;
    readonly stale?: boolean;
    readonly nextCursor?: string;
  };
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Answer<T> {
  readonly status: number;
  readonly envelope: Envelope<T>;
}

/** `GET origin/api/v1/path` */
export async function ask<T>(origin: string, path: string): Promise<Answer<T>> {
  return answered(await boundedFetch(`${origin}/api/v1/${path}`, `the dashboard's ${path}`));
}

/** The data of a read that must succeed. */
export async function read<T>(origin: string, path: string): Promise<T> {
  const { status, envelope } = await ask<T>(origin, path);
  if (status !== 200) throw new Error(`/api/v1/${path}: HTTP ${status}: ${envelope.error?.message ?? ''}`);
  return envelope.data;
}

/** A mutation, as a script sends it. */
export async function send<T>(origin: string, method: string, path: string, body: unknown): Promise<Answer<T>> {
  const answer = await boundedFetch(`${origin}/api/v1/${path}`, `the dashboard's ${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answered(answer);
}

function answered<T>({ status, text }: FetchedAnswer): Answer<T> {
  return { status, envelope: JSON.parse(text) as Envelope<T> };
}
