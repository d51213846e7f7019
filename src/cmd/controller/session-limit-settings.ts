import type { SessionLimits } from '../../core/access/session-limits.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** The limits of sessions. */
export function sessionLimits(settings: Pick<Settings, 'auth.session.lifetime' | 'auth.session.idleTimeout'>): SessionLimits {
  return { lifetimeMs: settings['auth.session.lifetime'], idleMs: settings['auth.session.idleTimeout'] };
}
