import { createHash } from 'node:crypto';
import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { TriggeredCycle } from '../apis/http/types.generated.ts';
import { PLURALS, type PodResizePolicy } from '../apis/v1alpha1/index.ts';
import { ADMIN } from '../core/access/requirement.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { DAY_MS, type Instant } from '#kube/units';
import { recordAudit, type AuditEntry } from './audit.ts';
import type { Command } from './command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import { refusalOf, type CommandRefusal } from './outcome.ts';

/** Others ask, and the status moves meanwhile: looked at again this often before it is the caller's turn. */
const MAX_TRIES = 6;
const EVERY_POLICY_PROTECTED = {
  kind: 'forbidden',
  message:
    'Every PodResizePolicy selects only namespaces that belong to the cluster or to the Evenkeel installation itself. Their cycles are not triggered through this API.',
} as const satisfies CommandRefusal;
const ID_SHAPE = /^cycle-(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)-[a-z0-9]+$/;

/**
 * Asks for a cycle now by the annotation `evenkeel.io/trigger` on every PodResizePolicy but those that select only reserved
 * namespaces; the leader acts. One that was asked for and has not begun is joined. The id holds the moment it was asked for,
 * so that any replica can tell.
 */
export const triggerResizeCycle: Command<unknown, TriggeredCycle> = {
  requires: ADMIN,
  async run(ports, caller) {
    const all = [...ports.cluster.podResizePolicies()];
    if (all.length === 0) {
      return { kind: 'conflict', message: 'There is no PodResizePolicy to run a cycle of. Create one; config/samples has examples.' };
    }
    const policies = all.filter((policy) => !ports.isProtectedPolicy(policy));
    if (policies.length === 0) return EVERY_POLICY_PROTECTED;
    const names = policies.map(nameOf);
    // The cycle itself runs in a dry run, too, and reports what it would change.
    const dryRun = caller.dryRun || policies.every((policy) => ports.isDryRunPolicy(policy));
    const now = ports.clock.now();
    const pending = policies.map(activeCycle).find((id) => id !== null) ?? null;
    const repeated = caller.idempotencyKey === null ? null : cycleOfKey(policies, caller.idempotencyKey, now);
    if (repeated !== null) return { kind: 'done', item: { cycleId: repeated, joined: true, policies: names }, dryRun };
    const own = newId(now, caller);
    let cycleId = pending ?? own;
    for (const policy of policies) {
      const outcome = await askOf(ports, caller, policy, cycleId);
      if (outcome.kind !== 'asked') return outcome;
      cycleId = outcome.cycleId;
    }
    return { kind: 'done', item: { cycleId, joined: cycleId !== own, policies: names }, dryRun };
  },
};

type Asked = { readonly kind: 'asked'; readonly cycleId: string } | CommandRefusal;

/** Writes the request on one policy, or joins what another has asked of it meanwhile. */
async function askOf(ports: CommandPorts, caller: Caller, policy: PodResizePolicy, cycleId: string): Promise<Asked> {
  let seen = policy;
  try {
    for (let tries = 1; ; tries += 1) {
      const active = activeCycle(seen);
      if (active !== null && (active === cycleId || tries > 1)) return { kind: 'asked', cycleId: active };
      const outcome = await annotate(ports, caller, seen, cycleId);
      const fresh = outcome.kind === 'conflict' && tries < MAX_TRIES ? await lookAgain(ports, seen) : null;
      if (fresh !== null) {
        seen = fresh;
        continue;
      }
      const refusal = refusalOf(outcome, `PodResizePolicy ${nameOf(policy)}`);
      recordAudit(ports, caller, { ...auditEntryOf(caller, seen, cycleId), outcome: refusal === null ? 'allowed' : 'error' });
      return refusal === null || refusal.kind === 'not-found' ? { kind: 'asked', cycleId } : refusal;
    }
  } catch (error) {
    ports.logger.warn('writing intent failed', { object: nameOf(policy), err: error });
    recordAudit(ports, caller, { ...auditEntryOf(caller, policy, cycleId), outcome: 'error' });
    return { kind: 'unavailable', message: 'The API server is out of reach. Try again shortly; a cycle already asked for is joined.' };
  }
}

/** Guarded by the version that was decided from: two who ask at once ask for one cycle. */
function annotate({ records }: CommandPorts, caller: Caller, policy: PodResizePolicy, cycleId: string) {
  const { resourceVersion } = policy.metadata;
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  return records.annotate(pathOf(policy), { [OBJECT_ANNOTATIONS.trigger]: cycleId }, { ...guard, dryRun: caller.dryRun });
}

/** The policy as the server has it, informers may be a moment behind; null where it is gone, or another of its name. */
async function lookAgain({ records }: CommandPorts, policy: PodResizePolicy): Promise<PodResizePolicy | null> {
  const { object } = await records.annotate(pathOf(policy), {}, { dryRun: true });
  const fresh = object as PodResizePolicy | undefined;
  return fresh?.metadata.uid === policy.metadata.uid ? { ...policy, ...fresh } : null;
}

function pathOf({ apiVersion, metadata }: PodResizePolicy): string {
  return `/apis/${apiVersion}/${PLURALS.PodResizePolicy}/${encodeURIComponent(metadata.name)}`;
}

function auditEntryOf(caller: Caller, { apiVersion, kind, metadata }: PodResizePolicy, cycleId: string): Omit<AuditEntry, 'outcome'> {
  return {
    action: 'TriggerCycle',
    eventReason: COMMAND_EVENT.cycleTriggered,
    subject: { apiVersion, kind, namespace: null, name: metadata.name, uid: metadata.uid ?? '' },
    message: `${caller.scope.actor} asked for a resize cycle`,
    before: { trigger: metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? null },
    after: { trigger: cycleId },
  };
}

/** The cycle of a policy that runs, or that was asked for and has not begun; null where neither is. */
function activeCycle({ metadata, status }: PodResizePolicy): string | null {
  const last: LastCycle = status?.lastCycle ?? {};
  if (last.startedAt !== undefined && last.finishedAt === undefined) return last.id ?? last.trigger ?? null;
  const id = metadata.annotations?.[OBJECT_ANNOTATIONS.trigger];
  if (id === undefined || last.trigger === id || last.id === id) return null;
  return beganSince(last, id) ? null : id;
}

type LastCycle = NonNullable<NonNullable<PodResizePolicy['status']>['lastCycle']>;

function beganSince(last: LastCycle, id: string): boolean {
  const askedAt = instantOf(ID_SHAPE.exec(id)?.[1]);
  const lastBegan = instantOf(last.startedAt);
  // An id of another's making says nothing of its time: it is due until the policy has told of it.
  return askedAt !== null && lastBegan !== null && lastBegan >= askedAt;
}

/** The id of a key's own request, if that was the last on any policy: the id ends in the key's hash. */
function cycleOfKey(policies: readonly PodResizePolicy[], key: string, now: Instant): string | null {
  const suffix = `-${hashOf(key)}`;
  const ids = policies.flatMap((policy) => policy.metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? []);
  const id = ids.find((each) => each.endsWith(suffix));
  const askedAt = instantOf(ID_SHAPE.exec(id ?? '')?.[1]);
  return id !== undefined && askedAt !== null && now - askedAt < DAY_MS ? id : null;
}

function newId(now: Instant, caller: Caller): string {
  return `cycle-${isoTime(now)}-${hashOf(caller.idempotencyKey ?? caller.requestId)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function nameOf(policy: PodResizePolicy): string {
  return policy.metadata.name;
}
