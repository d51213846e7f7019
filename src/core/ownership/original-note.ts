// The annotation `evenkeel.io/original` on a HorizontalPodAutoscaler or a workload: by field the user's value, what each writer wants,
// what was set last and by which of them. Several writers share it, so that whichever leaves last finds the user's value.

import { OWNERS, type NoteField, type OriginalNote, type OwnedField, type Owner } from './owners.ts';
import { isObject, parseJson, type JsonObject } from '#kube/json';
import { instantOf, isoTime } from '#kube/time/iso-time';

/** Form of the annotation as it is written. A note of a later one is unreadable: its values may mean something else. */
const VERSION = 1;

/** An object's own field, or a utilization target: of all containers, or of the one that is named. */
const FIELD_NAME = /^(?:replicas|minReplicas|maxReplicas|(?:cpu|memory)(?:\/[a-z0-9]([-a-z0-9]*[a-z0-9])?)?)$/;

/**
 * A note of this version, or of the form before the first. null: it is neither, or a part of it cannot be read. It is reported, and
 * nothing of it is acted on: the rest would lack a value that a writer or the user counts on.
 */
export function readOriginalNote(text: string): OriginalNote | null {
  const stored = parseJson(text);
  if (!isObject(stored)) return null;
  if (stored['v'] === undefined) return readEarlierForm(stored);
  if (stored['v'] !== VERSION || !isObject(stored['fields']) || !isObject(stored['takenAt'])) return null;
  const fields = Object.entries(stored['fields']).map(([name, value]) => [name, readField(name, value)] as const);
  const takenAt = readByOwner(stored['takenAt'], (at) => (typeof at === 'string' ? instantOf(at) : null));
  if (takenAt === null || fields.length === 0) return null;
  const read = new Map<NoteField, OwnedField>();
  for (const [name, field] of fields) {
    if (field === null || (field.wants.size > 0 ? [...field.wants.keys()] : [field.by]).some((owner) => !takenAt.has(owner))) return null;
    read.set(name, field);
  }
  return { fields: read, takenAt };
}

/** `{"v":1,"fields":{"cpu":{"user":60,"cpuMillicores":500,"wants":{"keep-replicas":90},"set":90,"by":"keep-replicas"}},"takenAt":{…}}` */
export function writeOriginalNote({ fields, takenAt }: OriginalNote): string {
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
 * What versions before the first wrote on an autoscaler, of its targets alone:
 * `{"metrics":[{"resource":"cpu","averageUtilization":60,"cpuMillicores":500,"now":90}],"issuedAt":"…"}`. It stands until the target moves
 * again, and nothing else may know the user's value where the process ended between the move and the next status.
 */
function readEarlierForm({ metrics, issuedAt }: JsonObject): OriginalNote | null {
  const at = typeof issuedAt === 'string' ? instantOf(issuedAt) : null;
  if (at === null || !Array.isArray(metrics) || metrics.length === 0) return null;
  const fields = new Map<NoteField, OwnedField>();
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

function requestName(field: NoteField): 'cpuMillicores' | 'memoryBytes' {
  return field.startsWith('cpu') ? 'cpuMillicores' : 'memoryBytes';
}

function isOwner(value: unknown): value is Owner {
  return OWNERS.some((owner) => owner === value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
