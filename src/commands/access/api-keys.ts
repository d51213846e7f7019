// API keys: read-only credentials of an e-mail address that has a grant.

import { createHash } from 'node:crypto';
import type { ApiKeyBody, CreatedApiKey, RevokedApiKey } from '../../apis/http/types.generated.ts';
import { mintApiKey } from '../../core/access/api-key.ts';
import { findGrant, parseEmail } from '../../core/access/grant.ts';
import type { Refusal } from '../../core/access/refusal.ts';
import { replicaWarnings } from '../../core/access/replica-reports.ts';
import { ADMIN_SESSION } from '../../core/access/requirement.ts';
import { isoTime } from '#kube/time/iso-time';
import type { StoredApiKey } from '../../ports/access-store.ts';
import { confirmed } from './confirmed.ts';
import { policySubject } from './policy-subject.ts';
import { recordAudit } from '../audit.ts';
import type { Command } from '../command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';

const AUTHENTICATION_OFF = {
  kind: 'session-required',
  message: 'API keys exist only while auth.enabled is true. Enable it, and sign in as an admin.',
} as const satisfies Refusal;

const NOT_CONFIRMED = 'The API server did not answer. Read the list of keys before you try again.';

/** Creates a key. The answer is the only place where it is readable: its hash is stored. */
export const createApiKey: Command<{ readonly body: ApiKeyBody }, CreatedApiKey> = {
  requires: ADMIN_SESSION,
  run: (ports, caller, { body }) => confirmed(() => create(ports, caller, body), NOT_CONFIRMED),
};

/** Revokes a key, which no request can use from the answer on, on any replica. */
export const deleteApiKey: Command<{ readonly id: string }, RevokedApiKey> = {
  requires: ADMIN_SESSION,
  run: (ports, caller, { id }) => confirmed(() => revoke(ports, caller, id), NOT_CONFIRMED),
};

async function create(ports: CommandPorts, caller: Caller, body: ApiKeyBody): Promise<CommandOutcome<CreatedApiKey>> {
  const { access, clock } = ports;
  if (access === null) return AUTHENTICATION_OFF;
  const email = parseEmail(body.email);
  if (email === null)
    return { kind: 'invalid', details: [{ path: '/email', message: 'must be an e-mail address, such as ana@example.com' }] };
  const now = clock.now();
  if (findGrant(await access.grants(), email, now) === null) {
    return { kind: 'no-grant', message: `${email} has no grant. Add one to the AccessPolicy default, then create the key.` };
  }
  const { id, text } = mintApiKey(ports.draw);
  const hash = createHash('sha256').update(text).digest('hex');
  const { label } = body;
  const stored: StoredApiKey = { id, email, label, hash, createdAt: now, createdBy: caller.scope.actor, lastUsedAt: null };
  if (!caller.dryRun) await access.createApiKey(stored);
  recordAudit(ports, caller, {
    action: 'CreateApiKey',
    eventReason: COMMAND_EVENT.apiKeyCreated,
    subject: policySubject(ports),
    target: `ApiKey/${id}`,
    message: `${caller.scope.actor} created API key ${id} for ${email}`,
    before: null,
    after: { id, email, label },
    outcome: 'allowed',
  });
  return { kind: 'done', item: { id, key: text, email, label, createdAt: isoTime(now) }, dryRun: caller.dryRun };
}

async function revoke(ports: CommandPorts, caller: Caller, id: string): Promise<CommandOutcome<RevokedApiKey>> {
  const { access } = ports;
  if (access === null) return AUTHENTICATION_OFF;
  const key = (await access.apiKeys()).get(id);
  const write = key === undefined || caller.dryRun ? null : await access.deleteApiKey(id);
  if (key === undefined || (write === null && !caller.dryRun)) {
    return { kind: 'not-found', message: `There is no API key ${id}. GET /api/v1/api-keys lists them.` };
  }
  const { email, label } = key;
  recordAudit(ports, caller, {
    action: 'RevokeApiKey',
    eventReason: COMMAND_EVENT.apiKeyRevoked,
    subject: policySubject(ports),
    target: `ApiKey/${id}`,
    message: `${caller.scope.actor} revoked API key ${id} of ${email}`,
    before: { id, email, label },
    after: null,
    outcome: 'allowed',
  });
  const warnings = write === null ? [] : replicaWarnings(await access.untilEveryReplicaHas(write), true);
  return { kind: 'done', item: { id, email, label, createdAt: isoTime(key.createdAt) }, dryRun: caller.dryRun, warnings };
}
