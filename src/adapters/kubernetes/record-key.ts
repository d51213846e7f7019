// The key by which Evenkeel knows its own records: in a Secret of its namespace, made by the leader, read by every replica.

import { randomBytes } from 'node:crypto';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { pause } from './pause.ts';
import { collectionPath, objectPath, SECRETS } from './resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from './status.ts';
import { asObject, objectAt, textAt } from './wire.ts';

export const RECORD_KEY_SECRET = 'evenkeel-record-key';
const BYTES = 32;
/** A Secret that was deleted is made anew with the same key; one that was replaced is taken over. */
const LOOK_EVERY_MS: DurationMs = MINUTE_MS;
const SOON_MS: DurationMs = 5 * SECOND_MS;

/** null where there is no Secret. @throws ApiFault; Error where it holds no key */
export async function readRecordKey(transport: ApiTransport, namespace: string, signal: AbortSignal): Promise<Buffer | null> {
  const response = await transport.request({ method: 'GET', path: objectPath(SECRETS, namespace, RECORD_KEY_SECRET), signal });
  const failure = failureOf(response);
  if (failure !== null) {
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading secret ${namespace}/${RECORD_KEY_SECRET}`, failure);
  }
  const key = Buffer.from(textAt(objectAt(asObject(response.body, 'secret'), 'data'), 'key'), 'base64');
  if (key.length !== BYTES) {
    throw new Error(`secret ${namespace}/${RECORD_KEY_SECRET}: data.key must have ${BYTES} bytes; delete the Secret to have it made anew`);
  }
  return key;
}

export interface RecordKeyDependencies {
  readonly transport: ApiTransport;
  /** What leaves by it leaves while this replica leads. */
  readonly leaders: ApiTransport;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly namespace: string;
  readonly isLeader: () => boolean;
  /** Nothing is written: the key of this process signs records that are not stored. */
  readonly dryRun: boolean;
}

export class RecordKey {
  readonly #dependencies: RecordKeyDependencies;
  #key: Buffer | null = null;
  #problem: string | null = 'not read yet';

  constructor(dependencies: RecordKeyDependencies) {
    this.#dependencies = dependencies;
  }

  get key(): Buffer | null {
    return this.#key;
  }

  /** null: there is a key, and its Secret was there at the last look. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Looks until the signal aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(signal);
      await pause(this.#dependencies.timer, this.#problem === null ? LOOK_EVERY_MS : SOON_MS, signal).catch(() => undefined);
    }
  }

  /** Reads the Secret, or makes it where this replica leads. Never throws: what went wrong is the problem. */
  async look(signal: AbortSignal): Promise<void> {
    try {
      await this.#look(signal);
    } catch (err) {
      const problem = err instanceof Error ? err.message : String(err);
      if (!signal.aborted && problem !== this.#problem)
        this.#dependencies.logger.warn('The key of records cannot be had; trying again', { err });
      this.#problem = problem;
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { transport, namespace, isLeader, dryRun } = this.#dependencies;
    const kept = await readRecordKey(transport, namespace, signal);
    this.#key = kept ?? this.#key;
    this.#problem = kept === null ? `there is no secret ${namespace}/${RECORD_KEY_SECRET} yet; the leader makes it` : null;
    if (kept !== null) return;
    if (dryRun) {
      this.#key ??= randomBytes(BYTES);
      this.#problem = null;
    } else if (isLeader()) {
      await this.#create(this.#key ?? randomBytes(BYTES), signal);
    }
  }

  async #create(key: Buffer, signal: AbortSignal): Promise<void> {
    const { transport, leaders, namespace } = this.#dependencies;
    const metadata = { name: RECORD_KEY_SECRET, namespace, labels: { 'app.kubernetes.io/part-of': 'evenkeel' } };
    const body = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: { key: key.toString('base64') } };
    const failure = failureOf(await leaders.request({ method: 'POST', path: collectionPath(SECRETS, namespace), body, signal }));
    if (failure !== null && !isConflict(failure)) throw new ApiFault(`creating secret ${namespace}/${RECORD_KEY_SECRET}`, failure);
    // Where another replica was first, its key counts.
    this.#key = failure === null ? key : await readRecordKey(transport, namespace, signal);
    this.#problem = null;
  }
}
