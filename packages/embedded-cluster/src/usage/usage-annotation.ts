import { isObject } from '#kube/json';
import type { Parsed } from '#kube/parsed';
import { parseCpuMillicores, parseMemoryBytes } from '#kube/quantity';
import { USAGE_PROFILE_KINDS, type UsageProfile, type UsageProfileKind } from './usage-profile.ts';

/**
 * Annotation on a pod template: the demand of its containers, as JSON by container name:
 * `{"server":{"profile":"diurnal","cpu":"120m","memory":"200Mi"}}`. Also `leakPerHour` (a quantity), `memorySwing`, `cacheShare`,
 * `perNodeCores`, `multiProcess`, `startupCpu`, `startupMemory`, `startupSeconds` and `runSeconds`. Omitted values are drawn from the seed.
 */
export const USAGE_ANNOTATION = 'simulator.evenkeel.io/usage';

const KNOWN_FIELDS =
  'profile, cpu, memory, leakPerHour, memorySwing, cacheShare, perNodeCores, multiProcess, startupCpu, startupMemory, startupSeconds and runSeconds';

export type StatedProfile = { readonly [K in keyof UsageProfile]?: UsageProfile[K] } & {
  /** CPU and memory apply to a node with so many cores, and scale in proportion on others. */
  readonly perNodeCores?: number;
  /** Above its memory limit the kernel kills one of its processes, and the container continues. */
  readonly multiProcess?: boolean;
};

export type UsageAnnotation =
  | { readonly ok: true; readonly byContainer: Readonly<Record<string, StatedProfile>> }
  | { readonly ok: false; readonly problems: readonly string[] };

/** All problems at once, each with container and field. */
export function parseUsageAnnotation(text: string): UsageAnnotation {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return { ok: false, problems: [`${USAGE_ANNOTATION}: no valid JSON`] };
  }
  if (!isObject(parsed)) return { ok: false, problems: [`${USAGE_ANNOTATION}: must be an object by container name`] };
  const problems: string[] = [];
  const byContainer: Record<string, StatedProfile> = {};
  for (const [container, stated] of Object.entries(parsed)) {
    const at = `${USAGE_ANNOTATION}: ${container}`;
    if (isObject(stated)) byContainer[container] = readProfile(stated, at, problems);
    else problems.push(`${at}: must be an object`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, byContainer };
}

function readProfile(stated: Record<string, unknown>, at: string, problems: string[]): StatedProfile {
  const profile: { -readonly [K in keyof StatedProfile]: StatedProfile[K] } = {};
  for (const [field, value] of Object.entries(stated)) {
    switch (field) {
      case 'profile':
        if (isKind(value)) profile.kind = value;
        else problems.push(`${at}.profile: must be one of ${USAGE_PROFILE_KINDS.join(', ')}`);
        break;
      case 'cpu':
        profile.cpuMillicores = quantity(value, parseCpuMillicores, `${at}.cpu`, problems);
        break;
      case 'memory':
        profile.memoryBytes = quantity(value, parseMemoryBytes, `${at}.memory`, problems);
        break;
      case 'leakPerHour':
        profile.leakBytesPerHour = quantity(value, parseMemoryBytes, `${at}.leakPerHour`, problems);
        break;
      case 'cacheShare':
      case 'memorySwing':
        profile[field] = numberFrom(value, isShare, 'a number from 0 to 1', `${at}.${field}`, problems);
        break;
      case 'startupCpu':
        profile.startupCpuMillicores = quantity(value, parseCpuMillicores, `${at}.startupCpu`, problems);
        break;
      case 'startupMemory':
        profile.startupMemoryBytes = quantity(value, parseMemoryBytes, `${at}.startupMemory`, problems);
        break;
      case 'multiProcess':
        if (typeof value === 'boolean') profile.multiProcess = value;
        else problems.push(`${at}.multiProcess: must be true or false`);
        break;
      case 'perNodeCores':
      case 'startupSeconds':
      case 'runSeconds':
        profile[field] = numberFrom(value, isPositive, 'a number above 0', `${at}.${field}`, problems);
        break;
      default:
        problems.push(`${at}.${field}: unknown; known are ${KNOWN_FIELDS}`);
    }
  }
  return profile;
}

function quantity(value: unknown, parse: (text: string | number) => Parsed<number>, at: string, problems: string[]): number {
  if (typeof value !== 'string' && typeof value !== 'number') {
    problems.push(`${at}: must be a quantity such as "120m" or "200Mi"`);
    return 0;
  }
  const parsed = parse(value);
  if (parsed.ok) return parsed.value;
  problems.push(`${at}: ${parsed.message}`);
  return 0;
}

function numberFrom(value: unknown, isMet: (value: number) => boolean, what: string, at: string, problems: string[]): number {
  if (typeof value === 'number' && isMet(value)) return value;
  problems.push(`${at}: must be ${what}`);
  return 0;
}

function isShare(value: number): boolean {
  return value >= 0 && value <= 1;
}

function isPositive(value: number): boolean {
  return value > 0;
}

function isKind(value: unknown): value is UsageProfileKind {
  return typeof value === 'string' && (USAGE_PROFILE_KINDS as readonly string[]).includes(value);
}
