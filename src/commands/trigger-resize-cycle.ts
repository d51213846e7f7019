import { createHash } from 'node:crypto';
import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { TriggeredCycle } from '../apis/http/types.generated.ts';
import { PLURALS, type PodResizePolicy } from '../apis/v1alpha1/index.ts';
import { ADMIN } from '../core/access/requirement.ts';
import { instantOf, isoTime } from '#kube/time/iso-time';
import { DAY_MS, type Instant } from '#kube/units';
import type { AuditEntry } from './audit.ts';
import type { Command } from './command.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import { writeGuarded } from './guarded-write.ts';
import type { CommandOutcome, CommandRefusal } from './outcome.ts';

const EVERY_POLICY_PROTECTED = {
  kind: 'forbidden',
  message:
    'Every PodResizePolicy selects only namespaces that belong to the cluster or to the Evenkeel installation itself. Their cycles are not triggered through this API.',
} as const satisfies CommandRefusal;
const ID_SHAPE = /^cycle-(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)-[a-z0-9]+$/;

/**
 * Requests a cycle by the annotation `evenkeel.io/trigger` on every PodResizePolicy, except those that select only reserved namespaces; the
 * leader carries it out. A requested cycle that has not started is joined. The id contains the time of the request, so that every replica
 * can compare it with the last cycle.
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
    // A cycle also runs in a dry run and reports what it would change.
    const dryRun = caller.dryRun || policies.every((policy) => ports.isDryRunPolicy(policy));
    const now = ports.clock.now();
    const pending = policies.map(activeCycle).find((id) => id !== null) ?? null;
    const repeated = caller.idempotencyKey === null ? null : cycleOfKey(policies, caller.idempotencyKey, now);
    if (repeated !== null) return { kind: 'done', item: { cycleId: repeated, joined: true, policies: names }, dryRun };
    const createdId = newId(now, caller);
    let cycleId = pending ?? createdId;
    for (const policy of policies) {
      const outcome = await requestCycle(ports, caller, policy, cycleId);
      if (outcome.kind !== 'done') return outcome;
      cycleId = outcome.item;
    }
    return { kind: 'done', item: { cycleId, joined: cycleId !== createdId, policies: names }, dryRun };
  },
};

/** Writes the request to one policy, or joins the request of another caller. Returns the id of the cycle. */
async function requestCycle(
  ports: CommandPorts,
  caller: Caller,
  policy: PodResizePolicy,
  cycleId: string,
): Promise<CommandOutcome<string>> {
  const outcome = await writeGuarded<PodResizePolicy, string>(ports, policy, {
    object: `PodResizePolicy ${nameOf(policy)}`,
    logName: nameOf(policy),
    callerOf: () => caller,
    unavailable: 'The API server cannot be reached. Try again shortly; a cycle that was requested already is joined.',
    plan(current, { tries }) {
      const active = activeCycle(current);
      if (active !== null && (active === cycleId || tries > 1)) return { kind: 'done', item: active, dryRun: caller.dryRun };
      return {
        kind: 'write',
        audit: auditEntryOf(caller, current, cycleId),
        write: () => annotate(ports, caller, current, cycleId),
        itemOf: () => cycleId,
      };
    },
    async readAgain(current) {
      const fresh = await readAgain(ports, current);
      return fresh === null ? null : { kind: 'read', object: fresh };
    },
  });
  // A policy that is deleted in the meantime has no workloads left for the cycle.
  return outcome.kind === 'not-found' ? { kind: 'done', item: cycleId, dryRun: caller.dryRun } : outcome;
}

/** Conditional on the resourceVersion that was decided from, so that concurrent requests share one cycle. */
function annotate({ records }: CommandPorts, caller: Caller, policy: PodResizePolicy, cycleId: string) {
  const { resourceVersion } = policy.metadata;
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  return records.annotate(pathOf(policy), { [OBJECT_ANNOTATIONS.trigger]: cycleId }, { ...guard, dryRun: caller.dryRun });
}

/** Reads the policy from the API server, because informers may lag; null where it was deleted or replaced. */
async function readAgain({ records }: CommandPorts, policy: PodResizePolicy): Promise<PodResizePolicy | null> {
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
    message: `${caller.scope.actor} requested a resize cycle`,
    before: { trigger: metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? null },
    after: { trigger: cycleId },
  };
}

/** The id of a running cycle of a policy, or of a requested one that has not started; null where there is neither. */
function activeCycle({ metadata, status }: PodResizePolicy): string | null {
  const last: LastCycle = status?.lastCycle ?? {};
  if (last.startedAt !== undefined && last.finishedAt === undefined) return last.id ?? last.trigger ?? null;
  const id = metadata.annotations?.[OBJECT_ANNOTATIONS.trigger];
  if (id === undefined || last.trigger === id || last.id === id) return null;
  return hasStartedSince(last, id) ? null : id;
}

type LastCycle = NonNullable<NonNullable<PodResizePolicy['status']>['lastCycle']>;

function hasStartedSince(last: LastCycle, id: string): boolean {
  const requestedAt = instantOf(ID_SHAPE.exec(id)?.[1]);
  const startedAt = instantOf(last.startedAt);
  // An id of another format has no time: it is pending until the policy's status contains it.
  return requestedAt !== null && startedAt !== null && startedAt >= requestedAt;
}

/** The id of an earlier request with the same key, where it is the last one of a policy: an id ends in the key's hash. */
function cycleOfKey(policies: readonly PodResizePolicy[], key: string, now: Instant): string | null {
  const suffix = `-${hashOf(key)}`;
  const ids = policies.flatMap((policy) => policy.metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? []);
  const id = ids.find((candidate) => candidate.endsWith(suffix));
  const requestedAt = instantOf(ID_SHAPE.exec(id ?? '')?.[1]);
  return id !== undefined && requestedAt !== null && now - requestedAt < DAY_MS ? id : null;
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
