import { OidcIssuer } from '../../adapters/oidc/oidc-issuer.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ProcessHost } from '../process/process-host.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import { healthSource } from './health-sources.ts';
import type { StatusRegistry } from './status-registry.ts';

/** Starts to read the configuration of the issuer of `auth.oidc`, without waiting for it; null where none is set. */
export async function startIdentityProvider(
  host: ProcessHost<ControllerEnvironment>,
  settings: Settings,
  registry: StatusRegistry,
): Promise<IdentityProvider | null> {
  if (!settings['auth.enabled'] || settings['auth.oidc.issuer'] === '') return null;
  const { environment, logger } = host;
  const { clock, random, timer } = environment;
  const issuer = new OidcIssuer({
    settings: {
      issuer: settings['auth.oidc.issuer'],
      clientId: settings['auth.oidc.clientId'],
      clientSecretFile: settings['auth.oidc.clientSecretFile'],
      scopes: settings['auth.oidc.scopes'],
      caFile: settings['auth.oidc.caFile'],
      displayName: settings['auth.oidc.displayName'],
    },
    timer,
    random,
    logger,
  });
  await host.runComponent('identity provider', (signal) => issuer.run(signal));
  registry.addHealth(
    healthSource('identity-provider', clock, () => {
      const { problem } = issuer;
      if (problem === null) return { status: 'ok', message: 'the OpenID Connect issuer answers' };
      return { status: 'degraded', message: `users cannot sign in by OpenID Connect: ${problem}` };
    }),
  );
  return issuer;
}
