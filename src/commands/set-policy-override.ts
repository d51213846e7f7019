import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { ErrorDetail } from '../apis/http/types.generated.ts';
import { PLURALS, type ObjectMeta, type PodResizePolicy } from '../apis/v1alpha1/index.ts';
import { ADMIN } from '../core/access/requirement.ts';
import { parseDuration } from '../core/model/duration.ts';
import { isoTime } from '#kube/time/iso-time';
import { DAY_MS, type Instant } from '#kube/units';
import {
  annotationAfter,
  effectiveSpec,
  overridableKindNamed,
  UNKNOWN_KIND,
  overrideFaults,
  readPolicyOverrides,
  type PolicyOverride,
} from '../core/policies/policy-overrides.ts';
import type { OverridableKind } from '../core/policies/policy-kinds.ts';
import { schemaOfField } from '../core/policies/spec-schema.ts';
import { mergePatchFrom } from '../core/policies/merge-patch-from.ts';
import { readPolicy } from '../core/resize/policy/read-policy.ts';
import type { WriteOutcome } from '../ports/cluster/writers.ts';
import { withReason } from './recommendations/approve-recommendation.ts';
import type { AuditEntry } from './audit.ts';
import type { Command } from './command.ts';
import { COMMAND_EVENT, FIELD_MANAGER, type Caller, type CommandPorts } from './context.ts';
import { writeGuarded } from './guarded-write.ts';
import { OBJECT_CHANGED, refusalOf, type CommandOutcome, type CommandRefusal } from './outcome.ts';

/** The fields of a policy of any kind that overrides need. */
export interface WirePolicy {
  readonly apiVersion: string;
  readonly kind: OverridableKind;
  readonly metadata: ObjectMeta;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

interface PolicyOverrideBody {
  readonly field: string;
  /** null removes the override. */
  readonly value: unknown;
  readonly expiresIn?: string;
  readonly reason: string;
}

interface OnPolicy {
  /** Kind or plural, case-insensitive. */
  readonly target: { readonly kind: string; readonly name: string };
  readonly body: PolicyOverrideBody;
}

type Annotations = Readonly<Record<string, string>>;
/** The annotation to write, or a refusal; null where it is unchanged. */
type Plan = { readonly kind: 'write'; readonly text: string | null; readonly override: PolicyOverride | null } | CommandRefusal | null;

const ANNOTATION = OBJECT_ANNOTATIONS.overrides;
/** Ten years, because timestamps after the year 9999 cannot be written. */
const MAX_EXPIRY_MS = 3650 * DAY_MS;

/** Sets or removes the override of one field of a policy. Returns the changed policy. */
export const setPolicyOverride: Command<OnPolicy, WirePolicy> = {
  requires: ADMIN,
  async run(ports, caller, { target, body }) {
    const kind = overridableKindNamed(target.kind);
    if (kind === undefined) return UNKNOWN_KIND;
    const policy = findPolicy(ports, kind, target.name);
    if (policy === undefined) return { kind: 'not-found', message: `There is no ${kind} ${target.name}.` };
    return overrideField(ports, caller, policy, body);
  },
};

function overrideField(
  ports: CommandPorts,
  caller: Caller,
  observed: WirePolicy,
  body: PolicyOverrideBody,
): Promise<CommandOutcome<WirePolicy>> {
  const { kind } = observed;
  const { name } = observed.metadata;
  const now = ports.clock.now();
  return writeGuarded<WirePolicy, WirePolicy>(ports, observed, {
    object: `${kind} ${name}`,
    logName: `${kind}/${name}`,
    callerOf: () => caller,
    plan(policy) {
      const plan = planOf(kind, policy.metadata.annotations, body, caller, now);
      if (plan === null) return { kind: 'done', item: policy, dryRun: caller.dryRun };
      if (plan.kind !== 'write') return plan;
      const annotations = withAnnotation(policy.metadata.annotations ?? {}, plan.text);
      return {
        kind: 'write',
        audit: auditEntryOf(policy, body, plan.override, caller),
        validate: () => (plan.override === null ? Promise.resolve(null) : refusalOfSpec(ports, policy, annotations, now)),
        write: () => write(ports, caller, policy, plan.text),
        itemOf: () => {
          recordWritten(ports, caller, policy, plan.text);
          return { ...policy, metadata: { ...policy.metadata, annotations } };
        },
      };
    },
    readAgain: (policy) => readAgain(ports, caller, policy),
  });
}

function planOf(kind: OverridableKind, annotations: Annotations | undefined, body: PolicyOverrideBody, caller: Caller, now: Instant): Plan {
  const { field, value, expiresIn, reason } = body;
  const stored = annotations?.[ANNOTATION];
  const ends = expiresIn === undefined ? null : parseDuration(expiresIn);
  const details = [...valueDetails(kind, body, stored), ...endDetails(value, ends)];
  if (details.length > 0) return { kind: 'invalid', details };
  const expiresAt = ends?.ok === true ? now + ends.value : null;
  const override = value === null ? null : { field, value, by: caller.scope.actor, at: now, expiresAt, reason };
  const after = annotationAfter(stored, field, override);
  if (after.kind === 'unreadable') {
    return {
      kind: 'conflict',
      message: `The annotation ${ANNOTATION} of the policy is not JSON. Correct or remove it with kubectl first.`,
    };
  }
  return after.text === (stored ?? null) ? null : { kind: 'write', text: after.text, override };
}

function valueDetails(kind: OverridableKind, { field, value }: PolicyOverrideBody, stored: string | undefined): readonly ErrorDetail[] {
  const faults = overrideFaults(kind, field, value);
  const details = faults.map((fault) => ({ path: `/${fault.of}${fault.path}`, message: fault.message }));
  if (value !== null) return details;
  // Every present override can be removed; an unknown field without an override is a typing error.
  const isMistyped = schemaOfField(kind, field) === null && stored?.includes(JSON.stringify(field)) !== true;
  return isMistyped ? details : [];
}

function endDetails(value: unknown, ends: ReturnType<typeof parseDuration> | null): readonly ErrorDetail[] {
  const wrong = (message: string): readonly ErrorDetail[] => [{ path: '/expiresIn', message }];
  if (ends === null) return [];
  if (value === null) return wrong('is not accepted where value is null, which removes the override');
  if (!ends.ok) return wrong(ends.message);
  return ends.value > MAX_EXPIRY_MS ? wrong('must be at most 3650d; without it, the override applies until it is removed') : [];
}

/** Validates the whole spec with the override, by Evenkeel's rules and by the API server: rules that span several fields. */
async function refusalOfSpec(
  ports: CommandPorts,
  policy: WirePolicy,
  annotations: Annotations,
  now: Instant,
): Promise<CommandRefusal | null> {
  const { inForce } = readPolicyOverrides(policy.kind, annotations, now);
  const spec = effectiveSpec(policy.spec, inForce);
  if (policy.kind === 'PodResizePolicy') {
    const reading = readPolicy({ ...policy, spec } as unknown as PodResizePolicy, { admission: true, prometheus: true });
    if (!reading.ok)
      return { kind: 'invalid', details: [{ path: '/value', message: `contradicts the rest of the spec: ${reading.message}` }] };
  }
  const object = { plural: PLURALS[policy.kind], namespace: null, name: policy.metadata.name };
  const patch = { spec: mergePatchFrom(policy.spec, spec) };
  const outcome = await ports.records.patchIntent(object, patch, { dryRun: true, fieldManager: FIELD_MANAGER });
  // A conflict is left to the following write, which is conditional.
  return outcome.kind === 'conflict' ? null : refusalOf(outcome, `${policy.kind} ${policy.metadata.name}`);
}

function write(
  ports: CommandPorts,
  caller: Caller,
  policy: WirePolicy,
  text: string | null,
): Promise<WriteOutcome & { readonly object?: unknown }> {
  const { resourceVersion } = policy.metadata;
  const guard = resourceVersion === undefined ? {} : { resourceVersion };
  return ports.records.annotate(pathOf(policy), { [ANNOTATION]: text }, { ...guard, dryRun: caller.dryRun, fieldManager: FIELD_MANAGER });
}

/** Only for PodResizePolicies: the informers notify of no other kind. */
function recordWritten(ports: CommandPorts, { dryRun }: Caller, { kind, metadata }: WirePolicy, text: string | null): void {
  if (dryRun || kind !== 'PodResizePolicy') return;
  ports.written?.(() => (findPolicy(ports, kind, metadata.name)?.metadata.annotations?.[ANNOTATION] ?? null) === text);
}

/** The part of a policy that users write, without its status. */
function stateOf({ metadata, spec }: WirePolicy): string {
  return JSON.stringify([spec, metadata.annotations?.[ANNOTATION] ?? null]);
}

/** Reads the policy from the API server; null where it was deleted or replaced. A conditional command is refused where it has changed. */
async function readAgain(
  { records }: CommandPorts,
  { unmoved }: Caller,
  policy: WirePolicy,
): Promise<{ readonly kind: 'read'; readonly object: WirePolicy } | typeof OBJECT_CHANGED | null> {
  const { object } = await records.annotate(pathOf(policy), {}, { dryRun: true, fieldManager: FIELD_MANAGER });
  const fresh = object as WirePolicy | undefined;
  if (fresh === undefined || fresh.metadata.uid !== policy.metadata.uid) return null;
  return unmoved === true && stateOf(fresh) !== stateOf(policy) ? OBJECT_CHANGED : { kind: 'read', object: fresh };
}

function auditEntryOf(
  { apiVersion, kind, metadata, spec }: WirePolicy,
  { field, reason }: PolicyOverrideBody,
  override: PolicyOverride | null,
  caller: Caller,
): Omit<AuditEntry, 'outcome'> {
  const by = caller.scope.actor;
  const end = override?.expiresAt ?? null;
  const until = end === null ? '' : ` until ${isoTime(end)}`;
  const sentence =
    override === null
      ? `${by} removed the override of spec.${field}`
      : `${by} overrode spec.${field} with ${JSON.stringify(override.value)}${until}`;
  return {
    action: override === null ? 'RemovePolicyOverride' : 'SetPolicyOverride',
    eventReason: override === null ? COMMAND_EVENT.overrideRemoved : COMMAND_EVENT.overrideSet,
    subject: { apiVersion, kind, namespace: null, name: metadata.name, uid: metadata.uid ?? '' },
    message: withReason(sentence, reason),
    before: { spec, overrides: metadata.annotations?.[ANNOTATION] ?? null },
    after: { field, value: override?.value ?? null, expiresAt: override?.expiresAt ?? null },
  };
}

function withAnnotation(annotations: Annotations, text: string | null): Annotations {
  const { [ANNOTATION]: _, ...others } = annotations;
  return text === null ? others : { ...others, [ANNOTATION]: text };
}

function findPolicy({ cluster }: CommandPorts, kind: OverridableKind, name: string): WirePolicy | undefined {
  const objects = [...cluster.ownObjects(PLURALS[kind])] as unknown as WirePolicy[];
  const found = objects.find(({ metadata }) => metadata.name === name);
  return found === undefined ? undefined : { ...found, kind };
}

function pathOf({ apiVersion, kind, metadata }: WirePolicy): string {
  return `/apis/${apiVersion}/${PLURALS[kind]}/${encodeURIComponent(metadata.name)}`;
}
