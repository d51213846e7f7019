// The key that authenticates Evenkeel's records: in a Secret of its namespace, created by the leader, read by every replica.

import { randomBytes } from 'node:crypto';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import { sleep } from '../sleep.ts';
import { collectionPath, objectPath, SECRETS } from '../resources.ts';
import { ApiFault, failureOf, isConflict, isNotFound } from '../status.ts';
import { asObject, objectAt, textAt } from '../wire.ts';

export const RECORD_KEY_SECRET = 'evenkeel-record-key';
const BYTES = 32;
/** Interval of reading the Secret. A deleted one is created again with the same key; a replaced key is adopted. */
const READ_EVERY_MS: DurationMs = MINUTE_MS;
const RETRY_AFTER_MS: DurationMs = 5 * SECOND_MS;

/** Reads the key; null without a Secret. @throws ApiFault; Error where the Secret has no valid key */
export async function readRecordKey(transport: ApiTransport, namespace: string, signal: AbortSignal): Promise<Buffer | null> {
  const response = await transport.request({ method: 'GET', path: objectPath(SECRETS, namespace, RECORD_KEY_SECRET), signal });
  const failure = failureOf(response);
  if (failure !== null) {
    if (isNotFound(failure)) return null;
    throw new ApiFault(`reading secret ${namespace}/${RECORD_KEY_SECRET}`, failure);
  }
  const key = Buffer.from(textAt(objectAt(asObject(response.body, 'secret'), 'data'), 'key'), 'base64');
  if (key.length !== BYTES) {
    throw new Error(
      `secret ${namespace}/${RECORD_KEY_SECRET}: data.key must have ${BYTES} bytes; delete the Secret to have it created again`,
    );
  }
  return key;
}

export interface RecordKeyDependencies {
  readonly transport: ApiTransport;
  /** A fenced transport, which writes only while this replica leads. */
  readonly leaders: ApiTransport;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly namespace: string;
  readonly isLeader: () => boolean;
  /** True: nothing is written, and a key of this process signs records that are not stored. */
  readonly dryRun: boolean;
}

/** Reads and, on the leader, creates the key that signs Evenkeel's records. */
export class RecordKey {
  readonly #dependencies: RecordKeyDependencies;
  #key: Buffer | null = null;
  #problem: string | null = 'not read yet';

  constructor(dependencies: RecordKeyDependencies) {
    this.#dependencies = dependencies;
  }

  /** null: no key is available yet. */
  get key(): Buffer | null {
    return this.#key;
  }

  /** null: a key is available, and its Secret existed at the last read. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads the Secret at intervals until the signal aborts. */
  async watchKey(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.checkKey(signal);
      await sleep(this.#dependencies.timer, this.#problem === null ? READ_EVERY_MS : RETRY_AFTER_MS, signal).catch(() => undefined);
    }
  }

  /** Reads the Secret, or creates it where this replica leads. Never rejects: a failure becomes `problem`. */
  async checkKey(signal: AbortSignal): Promise<void> {
    try {
      await this.#refresh(signal);
    } catch (err) {
      const problem = err instanceof Error ? err.message : String(err);
      if (!signal.aborted && problem !== this.#problem)
        this.#dependencies.logger.warn('Failed to read or create the record key; will retry', { err });
      this.#problem = problem;
    }
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    const { transport, namespace, isLeader, dryRun } = this.#dependencies;
    const stored = await readRecordKey(transport, namespace, signal);
    this.#key = stored ?? this.#key;
    this.#problem = stored === null ? `secret ${namespace}/${RECORD_KEY_SECRET} does not exist yet; the leader creates it` : null;
    if (stored !== null) return;
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
    // Where another replica wrote first, its key is used.
    this.#key = failure === null ? key : await readRecordKey(transport, namespace, signal);
    this.#problem = null;
  }
}
