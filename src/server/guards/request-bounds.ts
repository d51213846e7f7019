import type { NextFunction, Request, Response } from 'express';
import { MiB, SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { FairShare } from '../../runtime/clients/fair-share.ts';
import type { CountRefusal } from '../../runtime/clients/refusals.ts';
import { invalidRequest } from '../problem.ts';
import { shareProblem } from './share-problem.ts';

/** One mebibyte: room for 500 bulk items with room to spare, and no more than a process should parse for anyone. */
export const MAX_BODY_BYTES = MiB;
/** Of all bodies under way. */
export const MAX_BODIES_BYTES = 32 * MiB;
/** A mebibyte comes in a second over a poor line. */
export const BODY_MS: DurationMs = 20 * SECOND_MS;
/** An answer that is not read waits in memory, some of a mebibyte or two. */
export const MAX_REQUESTS = 256;

/** Bounds what requests under way hold of this process, by address and in all. */
export class RequestBounds {
  readonly #requests = new FairShare(MAX_REQUESTS);
  readonly #bodies = new FairShare(MAX_BODIES_BYTES);
  readonly #timer: MachineTimer;
  readonly #refused: CountRefusal;

  constructor(timer: MachineTimer, refused: CountRefusal) {
    this.#timer = timer;
    this.#refused = refused;
  }

  /** Counts the request until its answer has been sent or its connection is closed. */
  readonly admit = (request: Request, response: Response, next: NextFunction): void => {
    this.#hold(this.#requests, 'request', 1, request, response);
    next();
  };

  /** Counts the bytes of the body for as long, and answers 400 where it takes more than 20 s to arrive. */
  readonly admitBody = (request: Request, response: Response, next: NextFunction): void => {
    const bytes = bodyBytesOf(request);
    if (bytes > 0) {
      this.#hold(this.#bodies, 'body', bytes, request, response);
      this.#setDeadline(request, response, next);
    }
    next();
  };

  #hold(share: FairShare, kind: 'request' | 'body', amount: number, request: Request, response: Response): void {
    const held = share.take(addressGroup(request.ip ?? ''), amount, () => {
      this.#refused(kind, 'displaced');
      request.destroy();
    });
    if (typeof held !== 'string') {
      response.once('close', held);
      return;
    }
    this.#refused(kind, held);
    throw shareProblem(kind === 'body' ? 'bodies' : 'requests', held);
  }

  #setDeadline(request: Request, response: Response, next: NextFunction): void {
    const cancel = this.#timer.setTimer(BODY_MS, () => {
      if (request.complete || response.headersSent) return;
      this.#refused('body', 'slow');
      // The rest is not waited for.
      response.setHeader('Connection', 'close');
      next(invalidRequest([{ path: '', message: `did not arrive within ${BODY_MS / SECOND_MS} s` }]));
    });
    response.once('close', cancel);
  }
}

/** Bytes that reading the body may take, before any has come: the most there may be where the length is not that of what is unpacked. */
function bodyBytesOf(request: Request): number {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': encoding } = request.headers;
  if (transfer === undefined && Number(length ?? 0) === 0) return 0;
  return transfer !== undefined || encoding !== undefined ? MAX_BODY_BYTES : Math.min(Number(length), MAX_BODY_BYTES);
}
