import type { MachineTimer } from '../../../ports/clock.ts';
import type { ConnectionSource, CredentialSource, KubeConnection } from './connection.ts';
import { CredentialCache } from './credential-cache.ts';
import { resolveKubeConfig } from './kube-config.ts';
import { readTokenFile } from './token-file.ts';

/** Opens a connection of another thread in this one. client-node is loaded only for an exec plugin or auth provider. */
export function openConnection({ server, tls, credentials }: ConnectionSource, timer: MachineTimer): KubeConnection {
  return { server, tls, headers: headersFrom(credentials, timer) };
}

function headersFrom(credentials: CredentialSource, timer: MachineTimer): KubeConnection['headers'] {
  switch (credentials.type) {
    case 'fixed':
      return () => Promise.resolve(credentials.headers);
    case 'token-file': {
      const cache = new CredentialCache(readTokenFile(credentials.path), timer);
      return (ask) => cache.headers(ask?.fresh ?? false);
    }
    case 'kubeconfig': {
      let resolved: KubeConnection | undefined;
      return async (ask) => {
        resolved ??= await resolveKubeConfig({ ...credentials, timer });
        return await resolved.headers(ask);
      };
    }
  }
}
