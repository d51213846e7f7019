import type { NextFunction, Request, Response } from 'express';
import { MiB, SECOND_MS, type DurationMs } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { FairShare } from '../../runtime/clients/fair-share.ts';
import type { CountRefusal } from '../../runtime/clients/refusals.ts';
import { invalidRequest } from '../problem.ts';
import { shareProblem } from './share-problem.ts';

/** Maximum body: ample for 500 bulk items, and small enough to parse. */
export const MAX_BODY_BYTES = MiB;
/** Maximum total of all bodies in flight. */
export const MAX_BODIES_BYTES = 32 * MiB;
/** Deadline of a body. 1 MiB takes a second over a slow line. */
export const BODY_MS: DurationMs = 20 * SECOND_MS;
/** Maximum requests in flight, since unread answers wait in memory, some with 1 to 2 MiB. */
export const MAX_REQUESTS = 256;

/** Limits requests and bodies in flight, per address and in total. */
export class RequestBounds {
  readonly #requests = new FairShare(MAX_REQUESTS);
  readonly #bodies = new FairShare(MAX_BODIES_BYTES);
  readonly #timer: MachineTimer;
  readonly #refused: CountRefusal;

  constructor(timer: MachineTimer, refused: CountRefusal) {
    this.#timer = timer;
    this.#refused = refused;
  }

  /** Counts the request until its answer is sent or its connection closes. @throws Problem above a limit */
  readonly admit = (request: Request, response: Response, next: NextFunction): void => {
    this.#acquire(this.#requests, 'request', 1, request, response);
    next();
  };

  /** Counts the body's bytes for as long, and answers 400 where it takes more than 20 s to arrive. @throws Problem above a limit */
  readonly admitBody = (request: Request, response: Response, next: NextFunction): void => {
    const bytes = bodyBytesOf(request);
    if (bytes > 0) {
      this.#acquire(this.#bodies, 'body', bytes, request, response);
      this.#setDeadline(request, response, next);
    }
    next();
  };

  #acquire(share: FairShare, kind: 'request' | 'body', amount: number, request: Request, response: Response): void {
    const release = share.take(addressGroup(request.ip ?? ''), amount, () => {
      this.#refused(kind, 'displaced');
      request.destroy();
    });
    if (typeof release !== 'string') {
      response.once('close', release);
      return;
    }
    this.#refused(kind, release);
    throw shareProblem(kind === 'body' ? 'bodies' : 'requests', release);
  }

  #setDeadline(request: Request, response: Response, next: NextFunction): void {
    const cancel = this.#timer.setTimer(BODY_MS, () => {
      if (request.complete || response.headersSent) return;
      this.#refused('body', 'slow');
      // Does not wait for the rest.
      response.setHeader('Connection', 'close');
      next(invalidRequest([{ path: '', message: `did not arrive within ${BODY_MS / SECOND_MS} s` }]));
    });
    response.once('close', cancel);
  }
}

/** Bytes that reading the body may need, before any arrive: the maximum where the uncompressed length is unknown. */
function bodyBytesOf(request: Request): number {
  const { 'content-length': length, 'transfer-encoding': transfer, 'content-encoding': encoding } = request.headers;
  if (transfer === undefined && Number(length ?? 0) === 0) return 0;
  return transfer !== undefined || encoding !== undefined ? MAX_BODY_BYTES : Math.min(Number(length), MAX_BODY_BYTES);
}
