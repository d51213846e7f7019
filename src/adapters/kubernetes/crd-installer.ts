// Brings Evenkeel's CRDs into the cluster at start, and never takes a newer set back.

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { DurationMs } from '../../core/model/units.ts';
import type { ApiTransport } from '../../ports/api-transport.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { pause } from './pause.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, objectPath } from './resources.ts';
import { failureOf, isNotFound, type ApiFailure } from './status.ts';
import { asObject, objectAt, objectsAt, requiredTextAt, textAt, textsByKeyAt, type Wire } from './wire.ts';

/** Annotation on each CRD: version of the Evenkeel that wrote it. Which of two schemas is newer cannot be told from the schemas. */
export const CRD_VERSION_ANNOTATION = 'evenkeel.io/crd-version';
/** Annotation on each CRD: hash of what was written, so that a start with nothing to change writes nothing. */
export const CRD_HASH_ANNOTATION = 'evenkeel.io/crd-hash';

const FIELD_MANAGER = 'evenkeel-crds';
const ESTABLISHED_WITHIN_MS: DurationMs = 30_000;
const LOOK_AGAIN_MS: DurationMs = 200;

export interface CrdInstallerParts {
  readonly transport: ApiTransport;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** Version of this Evenkeel, `1.2.3` or `1.2.3-rc.1`. */
  readonly version: string;
}

/** What came of one CRD. */
export interface CrdInstalled {
  readonly name: string;
  /** `kept-newer`: the cluster's was written by a newer Evenkeel. `kept`: we may not write CRDs, and one is there. */
  readonly outcome: 'applied' | 'unchanged' | 'kept-newer' | 'kept';
}

/** The CRD manifests of a folder, by file name. @throws with the file where one is not a CRD */
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
 * Applies what is missing or older by server-side apply and waits until all are established. Rejects, naming CRD and
 * remedy, when one is missing and may not be written, is refused, or is not established within 30 s.
 */
export async function installCrds(
  manifests: readonly Wire[],
  parts: CrdInstallerParts,
  signal: AbortSignal,
): Promise<readonly CrdInstalled[]> {
  const installed: CrdInstalled[] = [];
  for (const manifest of manifests) installed.push(await installOne(manifest, parts, signal));
  for (const { name } of installed) await untilEstablished(name, parts, signal);
  return installed;
}

async function installOne(manifest: Wire, parts: CrdInstallerParts, signal: AbortSignal): Promise<CrdInstalled> {
  const { transport, logger, version } = parts;
  const metadata = objectAt(manifest, 'metadata');
  const name = requiredTextAt(metadata, 'name');
  const hash = createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 16);
  const path = objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, name);

  const found = await transport.request({ method: 'GET', path, signal });
  const missing = failureOf(found);
  if (missing !== null && !isNotFound(missing)) throw crdFault(name, 'reading', missing);
  const annotations = missing === null ? textsByKeyAt(objectAt(asObject(found.body, name), 'metadata'), 'annotations') : {};
  const theirs = annotations[CRD_VERSION_ANNOTATION];
  if (theirs !== undefined && compareVersions(theirs, version) > 0) {
    logger.info('CRD was written by a newer Evenkeel and is kept', { crd: name, theirs, ours: version });
    return { name, outcome: 'kept-newer' };
  }
  if (theirs === version && annotations[CRD_HASH_ANNOTATION] === hash) return { name, outcome: 'unchanged' };

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
  if (refused === null) return { name, outcome: 'applied' };
  if (refused.status === 403 && missing === null) {
    logger.warn(
      'CRD may be older than this Evenkeel and may not be written: grant patch on customresourcedefinitions or apply crds/ by hand',
      {
        crd: name,
        problem: refused.message,
      },
    );
    return { name, outcome: 'kept' };
  }
  throw crdFault(name, 'applying', refused);
}

async function untilEstablished(name: string, parts: CrdInstallerParts, signal: AbortSignal): Promise<void> {
  const { transport, timer } = parts;
  const deadlineMs = timer.nowMs() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const response = await transport.request({ method: 'GET', path: objectPath(CUSTOM_RESOURCE_DEFINITIONS, null, name), signal });
    const failure = failureOf(response);
    if (failure !== null) throw crdFault(name, 'reading', failure);
    const conditions = objectsAt(objectAt(asObject(response.body, name), 'status'), 'conditions');
    if (conditions.some((condition) => condition['type'] === 'Established' && condition['status'] === 'True')) return;
    if (timer.nowMs() > deadlineMs) {
      const why = conditions.filter((condition) => condition['status'] === 'False').map((condition) => textAt(condition, 'message'));
      throw new Error(`CRD ${name} was not established within ${ESTABLISHED_WITHIN_MS / 1000} s: ${why.join('; ') || 'no reason given'}`);
    }
    await pause(timer, LOOK_AGAIN_MS, signal);
  }
}

function crdFault(name: string, attempt: string, failure: ApiFailure): Error {
  const remedy =
    failure.status === 403
      ? '; grant get, create and patch on customresourcedefinitions, or apply crds/ by hand and set crds.install: false'
      : '';
  return new Error(`${attempt} CRD ${name}: ${failure.message}${remedy}`);
}

/** By semantic versioning, build metadata left out; what is no version is older than any. */
export function compareVersions(a: string, b: string): number {
  const left = versionParts(a);
  const right = versionParts(b);
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release comes before its release.
  if (left.pre === right.pre) return 0;
  if (left.pre === '' || right.pre === '') return left.pre === '' ? 1 : -1;
  return left.pre.localeCompare(right.pre, 'en', { numeric: true });
}

function versionParts(text: string): { readonly numbers: readonly number[]; readonly pre: string } | null {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(text);
  return match === null ? null : { numbers: [Number(match[1]), Number(match[2]), Number(match[3])], pre: match[4] ?? '' };
}
