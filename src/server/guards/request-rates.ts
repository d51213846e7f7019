import type { NextFunction, Request, Response } from 'express';
import type { MachineTimer } from '../../ports/clock.ts';
import { addressGroup } from '../../runtime/clients/address-group.ts';
import { RateLimiter, type Rate } from '../../runtime/clients/rate-limit.ts';
import { Problem } from '../problem.ts';

/** Rate limits of requests. */
export interface RequestRateOptions {
  /** Of one address, for requests without a valid credential and before one is verified. */
  readonly address: Rate;
  /** Of one credential. */
  readonly credential: Rate;
}

/**
 * Limits the rate of requests. Each counts for its address before anything of it is verified, so that verifying has a limit as well. One with a
 * valid credential is given back to the address and counts for the credential: users behind one address do not limit each other.
 */
export class RequestRates {
  readonly #addresses: RateLimiter;
  readonly #credentials: RateLimiter;
  readonly #limited: () => void;

  /** @param limited called for each refused request */
  constructor({ address, credential }: RequestRateOptions, timer: MachineTimer, limited: () => void) {
    this.#addresses = new RateLimiter(address, timer);
    this.#credentials = new RateLimiter(credential, timer);
    this.#limited = limited;
  }

  /** Counts the request for its address, assets included. @throws Problem above the rate */
  readonly limitAddress = (request: Request, _response: Response, next: NextFunction): void => {
    this.#refuseAfter(this.#addresses.take(clientOf(request)), 'from this address');
    next();
  };

  /** Counts a request with a valid credential for that instead. @throws Problem above the rate */
  limitCredential(credential: string, request: Request): void {
    this.#addresses.giveBack(clientOf(request));
    this.#refuseAfter(this.#credentials.take(credential), 'with this credential');
  }

  #refuseAfter(waitSeconds: number | null, source: string): void {
    if (waitSeconds === null) return;
    this.#limited();
    throw new Problem('rate_limited', `Too many requests ${source}. Try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    });
  }
}

function clientOf(request: Request): string {
  return addressGroup(request.ip ?? '');
}
