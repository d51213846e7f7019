// Installs and updates Evenkeel's CRDs at start, and never downgrades newer ones.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../../ports/clock.ts';
import { sleep } from '../sleep.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, objectPath } from '../resources.ts';
import { failureOf, isNotFound, type ApiFailure } from '../status.ts';
import { asObject, objectAt, objectsAt, requiredTextAt, textAt, textsByKeyAt, type Wire } from '../wire.ts';

/** Annotation on each CRD: the Evenkeel version that wrote it. A comparison of two schemas does not show which is newer. */
export const CRD_VERSION_ANNOTATION = 'evenkeel.io/crd-version';
/** Annotation on each CRD: hash of the written manifest, so that a start without changes writes nothing. */
export const CRD_HASH_ANNOTATION = 'evenkeel.io/crd-hash';

const FIELD_MANAGER = 'evenkeel-crds';
const ESTABLISHED_WITHIN_MS: DurationMs = 30_000;
const POLL_INTERVAL_MS: DurationMs = 200;
/** Maximum number of missing fields named in a message. */
const MAX_FIELDS = 6;

export interface InstallCrdsDependencies {
  readonly transport: ApiTransport;
  readonly timer: MachineTimer;
  /** Version of this Evenkeel, `1.2.3` or `1.2.3-rc.1`. */
  readonly version: string;
}

/** Outcome of one CRD. */
export interface CrdInstalled {
  readonly name: string;
  /**
   * `kept-newer`: the installed CRD was written by a newer Evenkeel. `kept`: a CRD is installed, and updating it is not permitted.
   * `failed`: the CRD differs from what this version needs. `unreached`: the API server did not answer, or not yet.
   */
  readonly outcome: 'applied' | 'unchanged' | 'kept-newer' | 'kept' | 'failed' | 'unreached';
  /** The problem or warning with its remedy; null: none. */
  readonly problem: string | null;
}

/** Reads the CRD manifests of a folder, in order of file names. @throws Error with the file that is not a CRD */
export async function readCrds(folder: string): Promise<readonly Wire[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
  const manifests: Wire[] = [];
  for (const file of files) {
    const manifest = asObject(parse(await readFile(join(folder, file), 'utf8')), file);
    if (manifest['kind'] !== 'CustomResourceDefinition') throw new Error(`${join(folder, file)} is not a CustomResourceDefinition`);
    manifests.push(manifest);
  }
  return manifests;
}

/**
 * Applies missing or outdated CRDs by server-side apply and waits until all are established. A failing CRD does not affect the others: its
 * outcome has the reason. Rejects only when `signal` aborts.
 */
export async function installCrds(
  manifests: readonly Wire[],
  dependencies: InstallCrdsDependencies,
  signal: AbortSignal,
): Promise<readonly CrdInstalled[]> {
  const installed: CrdInstalled[] = [];
  for (const manifest of manifests) {
    const name = requiredTextAt(objectAt(manifest, 'metadata'), 'name');
    installed.push(await catchUnavailable(name, signal, () => installOne(name, manifest, dependencies, signal)));
  }
  const settled: CrdInstalled[] = [];
  for (const each of installed) {
    const there = each.outcome !== 'failed' && each.outcome !== 'unreached';
    settled.push(there ? await catchUnavailable(each.name, signal, () => established(each, dependencies, signal)) : each);
  }
  return settled;
}

async function catchUnavailable(name: string, signal: AbortSignal, attempt: () => Promise<CrdInstalled>): Promise<CrdInstalled> {
  try {
    return await attempt();
  } catch (err) {
    signal.throwIfAborted();
    return { name, outcome: 'unreached', problem: `CRD ${name}: ${err instanceof Error ? err.message : String(err)}` };
  }
}

async function installOne(name: string, manifest: Wire, dependencies: InstallCrdsDependencies, signal: AbortSignal): Promise<CrdInstalled> {
  const { transport, version } = dependencies;
  const metadata = objectAt(manifest, 'metadata');
  const hash = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 16);
  const path = objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, name);

  const found = await transport.request({ method: 'GET', path, signal });
  const missing = failureOf(found);
  if (missing !== null && !isNotFound(missing)) return installFailure(name, 'reading', missing);
  const present = missing === null ? asObject(found.body, name) : null;
  const annotations = present === null ? {} : textsByKeyAt(objectAt(present, 'metadata'), 'annotations');
  const installedVersion = annotations[CRD_VERSION_ANNOTATION];
  if (installedVersion !== undefined && compareVersions(installedVersion, version) > 0) {
    const missingFields = present === null ? '' : describeMissingFields(present, manifest);
    const problem = `CRD ${name} was written by Evenkeel ${installedVersion}, newer than this ${version}, and is kept${missingFields}`;
    return { name, outcome: 'kept-newer', problem };
  }
  if (installedVersion === version && annotations[CRD_HASH_ANNOTATION] === hash) return { name, outcome: 'unchanged', problem: null };

  const ours = { ...textsByKeyAt(metadata, 'annotations'), [CRD_VERSION_ANNOTATION]: version, [CRD_HASH_ANNOTATION]: hash };
  const applied = await transport.request({
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER, force: true },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: { ...manifest, metadata: { ...metadata, annotations: ours } },
    signal,
  });
  const refused = failureOf(applied);
  if (refused === null) return { name, outcome: 'applied', problem: null };
  if (refused.status === 403 && present !== null) {
    const remedy = 'grant patch on customresourcedefinitions, or apply crds/ manually and set crds.install: false';
    const problem = `CRD ${name} may be older than this Evenkeel and may not be written: ${remedy} (${refused.message})${describeMissingFields(present, manifest)}`;
    return { name, outcome: 'kept', problem };
  }
  if (present !== null && !isTransient(refused)) {
    const remedy = `it belongs to another project, or has another scope or versions: delete it, or apply crds/ manually${describeMissingFields(present, manifest)}`;
    return { name, outcome: 'failed', problem: `CRD ${name} cannot be updated: ${refused.message}; ${remedy}` };
  }
  return installFailure(name, 'applying', refused);
}

async function established(installed: CrdInstalled, dependencies: InstallCrdsDependencies, signal: AbortSignal): Promise<CrdInstalled> {
  const { name } = installed;
  const { transport, timer } = dependencies;
  const deadlineMs = timer.nowMs() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const response = await transport.request({ method: 'GET', path: objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, name), signal });
    const failure = failureOf(response);
    if (failure !== null) return installFailure(name, 'reading', failure);
    const conditions = objectsAt(objectAt(asObject(response.body, name), 'status'), 'conditions');
    if (conditions.some((condition) => condition['type'] === 'Established' && condition['status'] === 'True')) return installed;
    if (timer.nowMs() > deadlineMs) {
      const why = conditions.filter((condition) => condition['status'] === 'False').map((condition) => textAt(condition, 'message'));
      const within = `within ${ESTABLISHED_WITHIN_MS / 1000} s`;
      return { name, outcome: 'failed', problem: `CRD ${name} was not established ${within}: ${why.join('; ') || 'no reason given'}` };
    }
    await sleep(timer, POLL_INTERVAL_MS, signal);
  }
}

/** Describes what the installed CRD lacks compared with this version's, as a clause to append; empty: nothing. */
function describeMissingFields(present: Wire, ours: Wire): string {
  const [mine] = objectsAt(objectAt(ours, 'spec'), 'versions');
  const version = mine === undefined ? '' : textAt(mine, 'name');
  const installedVersion = objectsAt(objectAt(present, 'spec'), 'versions').find((each) => textAt(each, 'name') === version);
  if (mine === undefined) return '';
  if (installedVersion?.['served'] !== true) return `; it does not serve ${version}, so its objects are not read`;
  const known = fieldsOf(installedVersion);
  const missingFields = [...fieldsOf(mine)].filter((field) => !known.has(field));
  const more = missingFields.length > MAX_FIELDS ? ` and ${missingFields.length - MAX_FIELDS} more` : '';
  return missingFields.length === 0
    ? ''
    : `; it lacks ${missingFields.slice(0, MAX_FIELDS).join(', ')}${more}, whose values the API server drops`;
}

/** Fields of spec and status, one level deep, which suffices to detect a different CRD. */
function fieldsOf(version: Wire): ReadonlySet<string> {
  const properties = objectAt(objectAt(objectAt(version, 'schema'), 'openAPIV3Schema'), 'properties');
  return new Set(
    ['spec', 'status'].flatMap((part) =>
      Object.keys(objectAt(objectAt(properties, part), 'properties')).map((field) => `${part}.${field}`),
    ),
  );
}

function installFailure(name: string, attempt: string, failure: ApiFailure): CrdInstalled {
  const remedy =
    failure.status === 403
      ? '; grant get, create and patch on customresourcedefinitions, or apply crds/ manually and set crds.install: false'
      : '';
  const outcome = isTransient(failure) ? 'unreached' : 'failed';
  return { name, outcome, problem: `${attempt} CRD ${name}: ${failure.message}${remedy}` };
}

/** A server that is starting or overloaded, or rejects an expired token: a retry can succeed. */
function isTransient({ status }: ApiFailure): boolean {
  return status >= 500 || status === 429 || status === 401 || status === 409;
}

/** Compares semantic versions without build metadata, as -1, 0 or 1. Text that is not a version is older than any version. */
export function compareVersions(a: string, b: string): number {
  const left = versionParts(a);
  const right = versionParts(b);
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is older than its release.
  if (left.pre === right.pre) return 0;
  if (left.pre === '' || right.pre === '') return left.pre === '' ? 1 : -1;
  return left.pre.localeCompare(right.pre, 'en', { numeric: true });
}

function versionParts(text: string): { readonly numbers: readonly number[]; readonly pre: string } | null {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text);
  return match === null ? null : { numbers: [Number(match[1]), Number(match[2]), Number(match[3])], pre: match[4] ?? '' };
}
