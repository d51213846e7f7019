// Sessions that ended before they expired, as one Secret.

import { instantOf, isoTime } from '#kube/time/iso-time';
import type { Instant } from '#kube/units';
import { CLOCK_DIFFERENCE_MS } from '../../../core/access/session-limits.ts';
import { UnavailableError } from '../../../ports/unavailable-error.ts';
import { createSecret, ENDED_SESSIONS_SECRET, mergeSecret, readSecretVersion, type SecretsLocation } from './access-secrets.ts';

export interface EndedSessionsDependencies {
  readonly reads: SecretsLocation;
  readonly writes: SecretsLocation;
  readonly now: () => Instant;
}

/** Time until which each session would have been valid, by id, with the resourceVersion of the Secret; empty where it does not exist. */
export interface ReadEndedSessions {
  readonly value: ReadonlyMap<string, Instant>;
  readonly version: string;
  readonly digest: string;
}

/** Reads and writes the Secret. Sessions that end during a write share the next one, since the Secret takes one write at a time. */
export class EndedSessions {
  readonly #dependencies: EndedSessionsDependencies;
  #pending = new Map<string, Instant>();
  #next: Promise<string> | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(dependencies: EndedSessionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws UnavailableError */
  async read(): Promise<ReadEndedSessions> {
    const { texts, version } = (await readSecretVersion(this.#dependencies.reads, ENDED_SESSIONS_SECRET)) ?? { texts: {}, version: '' };
    // A time that cannot be read never forgets the session.
    const value = new Map(Object.entries(texts).map(([id, until]) => [id, instantOf(until) ?? Number.MAX_SAFE_INTEGER]));
    return { value, version, digest: version };
  }

  /** Ends a session. Returns the resourceVersion that has it. @throws UnavailableError */
  end(id: string, until: Instant): Promise<string> {
    this.#pending.set(id, until);
    if (this.#next === null) {
      const write = (): Promise<string> => this.#writePending();
      this.#next = this.#last.then(write, write);
      this.#last = this.#next;
    }
    return this.#next;
  }

  async #writePending(): Promise<string> {
    const sessions = [...this.#pending];
    this.#pending = new Map();
    this.#next = null;
    const ended = Object.fromEntries(sessions.map(([id, until]) => [id, isoTime(until)]));
    const { writes, now } = this.#dependencies;
    // Clocks of replicas differ: the session may not have expired for another one.
    const forgottenBefore = now() - CLOCK_DIFFERENCE_MS;
    const expired = [...(await this.read()).value].filter(([, expiry]) => expiry < forgottenBefore).map(([id]) => [id, null] as const);
    const merge = (): Promise<string | null> => mergeSecret(writes, ENDED_SESSIONS_SECRET, { ...Object.fromEntries(expired), ...ended });
    // Where another replica created it meanwhile, these sessions are merged into it.
    const version = (await merge()) ?? (await createSecret(writes, ENDED_SESSIONS_SECRET, ended)) ?? (await merge());
    if (version === null) throw new UnavailableError(`secret ${ENDED_SESSIONS_SECRET} was deleted while it was written`);
    return version;
  }
}
