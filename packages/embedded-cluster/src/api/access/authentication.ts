import { isObject } from '#kube/json';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock, MachineTimer } from '../../ports/clock.ts';
import type { KubeObject } from '../kube-object.ts';
import { ADMIN, serviceAccountUser, type UserInfo } from './user.ts';

export interface IssuedToken {
  readonly token: string;
  /** Domain time, like every timestamp of the cluster. */
  readonly expiresAt: number;
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/**
 * Bearer tokens: one of the admin, random in each run, and signed JWTs of ServiceAccounts. Secrets come from the operating system and not
 * from the cluster's seed, which may be public; no decision depends on them.
 */
export class Authenticator {
  readonly adminToken = randomBytes(32).toString('base64url');
  readonly #key = randomBytes(32);
  readonly #clock: Clock;
  readonly #machine: MachineTimer;
  readonly #findServiceAccount: (namespace: string, name: string) => KubeObject | undefined;
  /** Machine time, because an external client refreshes its token by its own clock. */
  readonly #expiryById = new Map<string, number>();

  constructor(clock: Clock, machine: MachineTimer, findServiceAccount: (namespace: string, name: string) => KubeObject | undefined) {
    this.#clock = clock;
    this.#machine = machine;
    this.#findServiceAccount = findServiceAccount;
  }

  /** The user of a token; undefined for an invalid or expired one. */
  authenticate(token: string): UserInfo | undefined {
    if (isSameText(token, this.adminToken)) return ADMIN;
    const [header = '', payload = '', signature = ''] = token.split('.');
    if (!isSameText(signature, this.#sign(`${header}.${payload}`))) return undefined;
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (!isObject(claims) || (this.#expiryById.get(String(claims['jti'])) ?? 0) <= this.#machine.nowMs()) return undefined;
    const [, , namespace = '', name = ''] = String(claims['sub']).split(':');
    const account = this.#findServiceAccount(namespace, name);
    if (account === undefined || account.metadata.uid !== claims['uid']) return undefined;
    return serviceAccountUser(namespace, name, account.metadata.uid);
  }

  /** A token of a ServiceAccount. */
  issue(account: KubeObject, audiences: readonly string[], expirationSeconds: number): IssuedToken {
    const { namespace = '', name, uid } = account.metadata;
    const issuedAt = this.#clock.now();
    const expiresAt = issuedAt + expirationSeconds * 1000;
    const id = randomBytes(16).toString('hex');
    this.#forgetExpired();
    this.#expiryById.set(id, this.#machine.nowMs() + expirationSeconds * 1000);
    const claims = {
      iss: ISSUER,
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences.length > 0 ? audiences : [ISSUER],
      iat: Math.floor(issuedAt / 1000),
      exp: Math.floor(expiresAt / 1000),
      jti: id,
      uid,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    };
    const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
    return { token: `${signed}.${this.#sign(signed)}`, expiresAt };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  #forgetExpired(): void {
    const nowMs = this.#machine.nowMs();
    for (const [id, expiresAtMs] of this.#expiryById) if (expiresAtMs <= nowMs) this.#expiryById.delete(id);
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Constant-time comparison. */
function isSameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
