import { OBJECT_ANNOTATIONS } from '../apis/annotations.ts';
import type { Operations, Policy } from '../apis/http/types.generated.ts';
import { parseDuration } from '../core/model/duration.ts';
import { PLURALS, type ObjectMeta } from '../apis/v1alpha1/index.ts';
import { instantOf, isoTimeOrNull } from '../core/model/iso-time.ts';
import { selectPage, type Listing } from './listing.ts';
import type { Refusal } from '../core/access/refusal.ts';
import type { Page } from './outcome.ts';
import type { Scope } from '../core/access/scope.ts';
import type { ReadSources } from './sources.ts';

const LISTING: Listing<Policy> = {
  id: (policy) => `${policy.kind}/${policy.namespace ?? ''}/${policy.name}`,
  // Only admins reach it, and most policies have no namespace to be filtered by.
  namespaceOf: null,
  namesOf: (policy) => [policy.name, policy.namespace],
  defaultSort: 'kind',
  filters: ['kind'],
};

const KINDS = ['NodeScalingPolicy', 'PodResizePolicy', 'RebalancePolicy', 'ScheduledScalePolicy'] as const;

interface WireObject {
  readonly metadata: ObjectMeta;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** `/policies`: every policy object with the values in force. */
export class PolicyQueries {
  readonly #sources: ReadSources;

  constructor(sources: ReadSources) {
    this.#sources = sources;
  }

  list(scope: Scope, query: Operations['listPolicies']['query']): Page<Policy> | Refusal {
    const wanted = query.namespace;
    const all = KINDS.flatMap((kind) => [...this.#objectsOf(kind)].map((object) => this.#record(kind, object)));
    const inNamespaces =
      wanted === undefined ? all : all.filter((policy) => policy.namespace !== null && wanted.includes(policy.namespace));
    return selectPage(inNamespaces, LISTING, query, scope);
  }

  *#objectsOf(kind: Policy['kind']): Generator<WireObject> {
    const { cluster } = this.#sources;
    const objects: Iterable<unknown> = kind === 'PodResizePolicy' ? cluster.podResizePolicies() : cluster.ownObjects(PLURALS[kind]);
    for (const object of objects) yield object as WireObject;
  }

  #record(kind: Policy['kind'], object: WireObject): Policy {
    const { metadata, spec, status } = object;
    return {
      kind,
      namespace: metadata.namespace ?? null,
      name: metadata.name,
      createdAt: isoTimeOrNull(instantOf(metadata.creationTimestamp)),
      generation: metadata.generation ?? null,
      spec,
      status: status ?? null,
      effective: effectiveOf(spec, metadata.annotations, this.#sources.policyDefaults.defaultsOf(kind)),
    };
  }
}

/** Later wins: default or setting, the object's spec, an override that a person set for a while. */
function effectiveOf(
  spec: Readonly<Record<string, unknown>>,
  annotations: Readonly<Record<string, string>> | undefined,
  defaults: Readonly<Record<string, { readonly value: unknown; readonly source: 'setting' | 'default' }>>,
): Policy['effective'] {
  const effective: Record<string, Policy['effective'][string]> = { ...defaults };
  for (const [field, value] of leavesOf(spec, '')) {
    // The API server writes the schema's defaults into the spec: what equals one was not anyone's choice to tell apart.
    const given = defaults[field];
    if (given === undefined || !sameValue(given.value, value)) effective[field] = { value, source: 'policy' };
  }
  for (const [field, value] of overridesOf(annotations?.[OBJECT_ANNOTATIONS.overrides])) effective[field] = { value, source: 'override' };
  return effective;
}

/** Whether two values mean the same: `24h` is `1d`. */
function sameValue(a: unknown, b: unknown): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true;
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [left, right] = [parseDuration(a), parseDuration(b)];
  return left.ok && right.ok && left.value === right.value;
}

function* leavesOf(value: Readonly<Record<string, unknown>>, prefix: string): Generator<[string, unknown]> {
  for (const [key, child] of Object.entries(value)) {
    const field = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof child === 'object' && child !== null && !Array.isArray(child))
      yield* leavesOf(child as Readonly<Record<string, unknown>>, field);
    else yield [field, child];
  }
}

/** `{ "<field>": { "value": … } }`. What cannot be read overrides nothing. */
function overridesOf(annotation: string | undefined): readonly (readonly [string, unknown])[] {
  if (annotation === undefined) return [];
  try {
    const parsed: unknown = JSON.parse(annotation);
    if (typeof parsed !== 'object' || parsed === null) return [];
    return Object.entries(parsed).flatMap(([field, override]: [string, unknown]) =>
      typeof override === 'object' && override !== null && 'value' in override ? [[field, override.value] as const] : [],
    );
  } catch {
    return [];
  }
}
