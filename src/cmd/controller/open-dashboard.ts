import type { Warning } from '../../apis/http/types.generated.ts';
import type { Instant } from '#kube/units';
import type { HealthSource } from '../../queries/sources.ts';
import { isLoopbackHost } from '../../runtime/loopback.ts';
import { parseListenAddress } from '../../runtime/listen-address.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** What clients without a credential may do on other machines; null: nothing. */
export function openDashboardWarning(
  settings: Pick<Settings, 'auth.enabled' | 'dashboard.addr' | 'dashboard.anonymousWrites'>,
): Warning | null {
  const host = parseListenAddress(settings['dashboard.addr'])?.host;
  if (settings['auth.enabled'] || (host !== undefined && isLoopbackHost(host))) return null;
  const message = settings['dashboard.anonymousWrites']
    ? 'Every client that reaches the dashboard may read everything and make changes, without a credential: set auth.enabled to true, or dashboard.anonymousWrites to false.'
    : 'Every client that reaches the dashboard may read everything, without a credential; changes are accepted from loopback alone. Set auth.enabled to true to require one.';
  return { code: 'authentication_disabled', message };
}

/** Empty where a credential is required, or the dashboard answers on loopback alone. */
export function openDashboardHealth(warning: Warning | null, since: Instant): readonly HealthSource[] {
  if (warning === null) return [];
  const { message } = warning;
  // Callers without a credential are admins: no other message is needed for them.
  return [{ name: 'authentication', status: () => ({ status: 'degraded', message, since, latencyMs: null }) }];
}
