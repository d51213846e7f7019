import { createHash } from 'node:crypto';
import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { TriggeredCycle } from '../apis/http/types.generated.ts';
import { PLURALS, type PodResizePolicy } from '../apis/v1alpha1/index.ts';
import { instantOf, isoTime } from '../core/model/iso-time.ts';
import { DAY_MS, type Instant } from '../core/model/units.ts';
import { recordDeed } from './audit.ts';
import { COMMAND_EVENT, type Caller, type CommandPorts } from './context.ts';
import { refusalOf, type CommandOutcome } from './outcome.ts';

const ID_SHAPE = /^cycle-(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)-[a-z0-9]+$/;

/**
 * Asks for a cycle now by the annotation `evenkeel.io/trigger` on every PodResizePolicy; the leader acts. One that was
 * asked for and has not begun is joined. The id holds the moment it was asked for, so that any replica can tell.
 */
export async function triggerResizeCycle(ports: CommandPorts, caller: Caller): Promise<CommandOutcome<TriggeredCycle>> {
  const policies = [...ports.cluster.podResizePolicies()];
  if (policies.length === 0) {
    return { kind: 'conflict', message: 'There is no PodResizePolicy to run a cycle of. Create one; config/samples has examples.' };
  }
  const now = ports.clock.now();
  const pending = policies.map(activeCycle).find((id) => id !== null) ?? null;
  const repeated = caller.idempotencyKey === null ? null : cycleOfKey(policies, caller.idempotencyKey, now);
  if (repeated !== null) return done({ cycleId: repeated, joined: true, policies: policies.map(nameOf) }, caller);
  const cycleId = pending ?? newId(now, caller);
  for (const policy of policies) {
    if (activeCycle(policy) === cycleId) continue;
    const refusal = await annotate(ports, caller, policy, cycleId);
    if (refusal !== null) return refusal;
  }
  return done({ cycleId, joined: pending !== null, policies: policies.map(nameOf) }, caller);
}

async function annotate(
  ports: CommandPorts,
  caller: Caller,
  policy: PodResizePolicy,
  cycleId: string,
): Promise<Exclude<CommandOutcome<never>, { kind: 'done' }> | null> {
  const { name, uid = '' } = policy.metadata;
  const path = `/apis/${policy.apiVersion}/${PLURALS.PodResizePolicy}/${encodeURIComponent(name)}`;
  const deed = {
    action: 'TriggerCycle',
    eventReason: COMMAND_EVENT.cycleTriggered,
    subject: { apiVersion: policy.apiVersion, kind: policy.kind, namespace: null, name, uid },
    message: `${caller.scope.actor} asked for a resize cycle`,
    before: { trigger: policy.metadata.annotations?.[OBJECT_ANNOTATIONS.trigger] ?? null },
    after: { trigger: cycleId },
  } as const;
  let outcome;
  try {
    outcome = await ports.records.annotate(path, { [OBJECT_ANNOTATIONS.trigger]: cycleId }, { dryRun: caller.dryRun });
  } catch (error) {
    ports.logger.warn('writing intent failed', { object: name, err: error });
    recordDeed(ports, caller, { ...deed, outcome: 'error' });
    return { kind: 'unavailable', message: 'The API server is out of reach. Try again shortly; a cycle already asked for is joined.' };
  }
  const refusal = refusalOf(outcome, `PodResizePolicy ${name}`);
  recordDeed(ports, caller, { ...deed, outcome: refusal === null ? 'allowed' : 'error' });
  return refusal === null || refusal.kind === 'not-found' ? null : refusal;
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

function done(item: TriggeredCycle, caller: Caller): CommandOutcome<TriggeredCycle> {
  return { kind: 'done', item, dryRun: caller.dryRun };
}
