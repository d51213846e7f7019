import { ApiStatusError } from '../api/api-error.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { StrategyContext } from '../api/strategy.ts';
import type { Pod } from '../controllers/wire/pod.ts';
import { amountOf, writeAmount } from './amounts.ts';
import type { ResourceQuota } from './quota-usage.ts';
import { countedResource, isInScope, quotaUsage, usageOf } from './quota-usage.ts';

/** Keys that every container must set, so that the sum is meaningful. */
const COMPUTE_KEYS: ReadonlySet<string> = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

/**
 * Checks a new or resized object against every quota of its namespace. Usage is computed now, not read from the quota's status. An update
 * is refused only for keys whose usage it increases. Throws ApiStatusError 403.
 */
export function checkQuotas(resource: string, object: KubeObject, old: KubeObject | null, context: StrategyContext): void {
  const namespace = object.metadata.namespace ?? '';
  for (const each of context.cluster.list('resourcequotas', { namespace })) {
    const quota = each as ResourceQuota;
    if (isInScope(quota, resource, object)) checkQuota(quota, resource, object, old, context);
  }
}

function checkQuota(quota: ResourceQuota, resource: string, object: KubeObject, old: KubeObject | null, context: StrategyContext): void {
  const hard = quota.spec?.hard ?? {};
  const keys = Object.keys(hard)
    .filter((key) => countedResource(key) === resource)
    .sort();
  if (keys.length === 0) return;
  if (old === null && resource === 'pods') requireStated(quota, keys, object as Pod);
  const uid = object.metadata.uid;
  const others = { ...quota, spec: { ...quota.spec, hard: Object.fromEntries(keys.map((key) => [key, hard[key] ?? '0'])) } };
  const used = quotaUsage(others, (counted) =>
    context.cluster.list(counted, { namespace: object.metadata.namespace ?? '' }).filter(({ metadata }) => metadata.uid !== uid),
  );
  const exceeded = keys.filter((key) => {
    const wanted = usageOf(key, resource, object)?.nano ?? 0n;
    const before = old === null ? 0n : (usageOf(key, resource, old)?.nano ?? 0n);
    const limit = amountOf(hard, key)?.nano ?? 0n;
    return wanted > before && (used.get(key)?.nano ?? 0n) + wanted > limit;
  });
  if (exceeded.length === 0) return;
  const list = (amount: (key: string) => string): string => exceeded.map((key) => `${key}=${amount(key)}`).join(',');
  const requested = list((key) => {
    const wanted = usageOf(key, resource, object);
    const before = old === null ? undefined : usageOf(key, resource, old);
    return writeAmount(wanted === undefined ? undefined : { ...wanted, nano: wanted.nano - (before?.nano ?? 0n) });
  });
  const inUse = list((key) => {
    const sum = used.get(key);
    const before = old === null ? undefined : usageOf(key, resource, old);
    return writeAmount(sum === undefined ? before : { ...sum, nano: sum.nano + (before?.nano ?? 0n) });
  });
  const limited = list((key) => hard[key] ?? '0');
  const why = `exceeded quota: ${quota.metadata.name}, requested: ${requested}, used: ${inUse}, limited: ${limited}`;
  throw refusal(resource, object, why);
}

/** A quota on CPU or memory refuses a pod with a container that does not set it. */
function requireStated(quota: ResourceQuota, keys: readonly string[], pod: Pod): void {
  const missing = keys
    .filter((key) => COMPUTE_KEYS.has(key))
    .map((key) => {
      const side = key.startsWith('limits.') ? 'limits' : 'requests';
      const resource = key.replace(/^(requests|limits)\./, '');
      const containers = pod.spec.containers.filter((container) => container.resources?.[side]?.[resource] === undefined);
      return { key, names: containers.map(({ name }) => name).join(',') };
    })
    .filter(({ names }) => names !== '');
  if (missing.length === 0) return;
  const list = missing.map(({ key, names }) => `${key} for: ${names}`).join('; ');
  throw refusal('pods', pod, `failed quota: ${quota.metadata.name}: must specify ${list}`);
}

function refusal(resource: string, { metadata }: KubeObject, why: string): ApiStatusError {
  const [plural = '', ...group] = resource.split('.');
  const details = { name: metadata.name, group: group.join('.'), kind: plural };
  return new ApiStatusError(403, 'Forbidden', `${resource} "${metadata.name}" is forbidden: ${why}`, details);
}
