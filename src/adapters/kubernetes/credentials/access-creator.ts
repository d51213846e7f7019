import { randomBytes } from 'node:crypto';
import type { ApiTransport } from '#kube/api-transport';
import { MINUTE_MS, SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import { dueRotation } from '../../../core/access/session-keys.ts';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import { collectionPath, ownResource } from '../resources.ts';
import { isAborted, sleep } from '../sleep.ts';
import { ApiFault, failureOf, isConflict } from '../status.ts';
import { createSecret, mergeSecret, SESSION_KEYS_SECRET } from './access-secrets.ts';
import { ACCESS_POLICY, readSessionKeys } from './access-reads.ts';

const CHECK_EVERY_MS = MINUTE_MS;
const RETRY_AFTER_MS = 5 * SECOND_MS;
const KEY_BYTES = 32;
const POLICIES = ownResource('accesspolicies');

export interface AccessCreatorDependencies {
  readonly transport: ApiTransport;
  /** A fenced transport, which writes only while this replica leads. */
  readonly leaders: ApiTransport;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly namespace: string;
  /** `auth.initialAdmin`: the first grant, where no AccessPolicy exists. Empty: none is created. */
  readonly initialAdmin: string;
  /** `auth.session.lifetime`: a key stays until the sessions that it sealed have ended. */
  readonly sessionLifetimeMs: DurationMs;
  readonly isLeader: () => boolean;
  readonly now: () => Instant;
}

/**
 * Creates what sign-in needs: the keys that seal sessions, of which there is a new one every week, and an AccessPolicy with the initial
 * admin where none exists. Also in dry-run: they are Evenkeel's own records, and sign-in does not work without them.
 */
export class AccessCreator {
  readonly #dependencies: AccessCreatorDependencies;
  #problem: string | null = null;

  constructor(dependencies: AccessCreatorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why this replica, as the leader, cannot create what is missing; null: it can, or another one leads. */
  get problem(): string | null {
    return this.#dependencies.isLeader() ? this.#problem : null;
  }

  /** Checks at intervals until the signal aborts; only the leader creates. */
  async run(signal: AbortSignal): Promise<void> {
    const { timer, isLeader } = this.#dependencies;
    while (!isAborted(signal)) {
      const isDone = isLeader() && (await this.create());
      await sleep(timer, isDone ? CHECK_EVERY_MS : RETRY_AFTER_MS, signal).catch(() => undefined);
    }
  }

  /** Never rejects: a failure is logged, and false. */
  async create(): Promise<boolean> {
    try {
      await this.#rotateSessionKeys();
      await this.#createPolicy();
      this.#problem = null;
      return true;
    } catch (err) {
      const problem = err instanceof Error ? err.message : String(err);
      if (problem !== this.#problem) this.#dependencies.logger.warn('Failed to prepare sign-in; will retry', { err });
      this.#problem = problem;
      return false;
    }
  }

  async #rotateSessionKeys(): Promise<void> {
    const { transport, leaders, namespace, now, logger, sessionLifetimeMs } = this.#dependencies;
    const keys = await readSessionKeys({ transport, namespace });
    const { add, remove } = dueRotation(
      keys.map(({ id }) => id),
      now(),
      sessionLifetimeMs,
    );
    if (add === null && remove.length === 0) return;
    // The value is text in base64, as `openssl rand -base64 32` prints it.
    const added = add === null ? {} : { [add]: randomBytes(KEY_BYTES).toString('base64') };
    const location = { transport: leaders, namespace };
    // Merged, so that a key which a user adds at the same time stays.
    const changes = { ...added, ...Object.fromEntries(remove.map((id) => [id, null])) };
    if ((await mergeSecret(location, SESSION_KEYS_SECRET, changes)) === null) await createSecret(location, SESSION_KEYS_SECRET, added);
    logger.info('Rotated the keys of sessions', { added: add, removed: remove });
  }

  async #createPolicy(): Promise<void> {
    const { leaders, initialAdmin, logger } = this.#dependencies;
    if (initialAdmin === '') return;
    const body = {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: ACCESS_POLICY },
      spec: { grants: [{ email: initialAdmin, role: 'admin', note: 'auth.initialAdmin' }] },
    };
    // One create instead of a read before it: the API server refuses it where the policy exists.
    const failure = failureOf(await leaders.request({ method: 'POST', path: collectionPath(POLICIES, null), body }));
    if (failure === null) logger.info('Created the AccessPolicy with the initial admin', { email: initialAdmin });
    else if (!isConflict(failure)) throw new ApiFault(`creating accesspolicy ${ACCESS_POLICY}`, failure);
  }
}
