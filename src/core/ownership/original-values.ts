// The annotation `evenkeel.io/original` of a HorizontalPodAutoscaler or a workload: by field the user's value, the value of each
// owner, and the last set value with its owner. All owners share it, so that the last one to leave can restore the user's value.

import { OWNERS, type OwnedFieldName, type OriginalValues, type OwnedField, type Owner } from './owners.ts';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import { instantOf, isoTime } from '#kube/time/iso-time';

/** Format version. A later version is invalid, because its values may have another meaning. */
const VERSION = 1;

/** A field of the object, or a utilization target of all containers or of one. */
const FIELD_NAME = /^(?:replicas|minReplicas|maxReplicas|(?:cpu|memory)(?:\/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?)$/;

/**
 * Parses this version or the unversioned format. null: any part is invalid. The caller reports it and uses none of it, because
 * a partial record would lack values of owners or of the user.
 */
export function readOriginalValues(text: string): OriginalValues | null {
  const stored = parseJson(text);
  if (!isObject(stored)) return null;
  if (stored['v'] === undefined) return readUnversioned(stored);
  if (stored['v'] !== VERSION || !isObject(stored['fields']) || !isObject(stored['takenAt'])) return null;
  const fields = Object.entries(stored['fields']).map(([name, value]) => [name, readField(name, value)] as const);
  const takenAt = readByOwner(stored['takenAt'], (at) => (typeof at === 'string' ? instantOf(at) : null));
  if (takenAt === null || fields.length === 0) return null;
  const read = new Map<OwnedFieldName, OwnedField>();
  for (const [name, field] of fields) {
    if (field === null || (field.wants.size > 0 ? [...field.wants.keys()] : [field.by]).some((owner) => !takenAt.has(owner))) return null;
    read.set(name, field);
  }
  return { fields: read, takenAt };
}

/** Format: `{"v":1,"fields":{"cpu":{"user":60,"cpuMillicores":500,"wants":{"keep-replicas":90},"set":90,"by":"keep-replicas"}},"takenAt":{…}}` */
export function writeOriginalValues({ fields, takenAt }: OriginalValues): string {
  return JSON.stringify({
    v: VERSION,
    fields: Object.fromEntries(
      [...fields].map(([name, { user, request, wants, set, by, from }]) => [
        name,
        {
          user,
          ...(request === null ? {} : { [requestName(name)]: request }),
          wants: Object.fromEntries(wants),
          set,
          by,
          ...(from === null ? {} : { from }),
        },
      ]),
    ),
    takenAt: Object.fromEntries([...takenAt].map(([owner, at]) => [owner, isoTime(at)])),
  });
}

/**
 * The unversioned format, of an autoscaler's targets only:
 * `{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":90}],"issuedAt":"…"}`. It remains until the
 * target moves again, and may be the only copy of the user's value if the process ended before the next status.
 */
function readUnversioned({ metrics, issuedAt }: JsonObject): OriginalValues | null {
  const at = typeof issuedAt === 'string' ? instantOf(issuedAt) : null;
  if (at === null || !Array.isArray(metrics) || metrics.length === 0) return null;
  const fields = new Map<OwnedFieldName, OwnedField>();
  for (const metric of metrics) {
    if (!isObject(metric)) return null;
    const { resource, container, averageUtilization: user, now: set, ...requests } = metric;
    const name = container === undefined ? resource : `${String(resource)}/${typeof container === 'string' ? container : ''}`;
    if (typeof name !== 'string') return null;
    const field = readField(name, { ...requests, user, set, by: 'keep-replicas', wants: { 'keep-replicas': set } });
    if (field === null) return null;
    fields.set(name, field);
  }
  return { fields, takenAt: new Map([['keep-replicas', at]]) };
}

function readField(name: string, stored: unknown): OwnedField | null {
  if (!FIELD_NAME.test(name) || !isObject(stored) || !isObject(stored['wants'])) return null;
  const { user, set, by, from = null, [requestName(name)]: request = null } = stored;
  const wants = readByOwner(stored['wants'], (value) => (isCount(value) ? value : null));
  if (wants === null || !isCount(user) || !isCount(set) || !isOwner(by)) return null;
  if ((from !== null && !isCount(from)) || (request !== null && !(isCount(request) && request > 0))) return null;
  return { user, request, wants, set, by, from };
}

function readByOwner<T>(stored: JsonObject, read: (value: unknown) => T | null): ReadonlyMap<Owner, T> | null {
  const byOwner = new Map<Owner, T>();
  for (const [owner, value] of Object.entries(stored)) {
    const inner = read(value);
    if (!isOwner(owner) || inner === null) return null;
    byOwner.set(owner, inner);
  }
  return byOwner;
}

function requestName(field: OwnedFieldName): 'cpuMillicores' | 'memoryBytes' {
  return field.startsWith('cpu') ? 'cpuMillicores' : 'memoryBytes';
}

function isOwner(value: unknown): value is Owner {
  return OWNERS.some((owner) => owner === value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
