import type { Operations } from '../../apis/http/types.generated.ts';
import type { ApiRouter } from '../api-router.ts';
import type { Authentication, AuthenticationDependencies } from '../auth/authentication.ts';
import { setCookie } from '../auth/credential.ts';
import { LocalSignIn } from '../auth/local-sign-in.ts';
import { SESSION_MS } from '../auth/session-cookie.ts';
import { AUTHENTICATION_OFF, sessionRecord } from '../auth/session-record.ts';
import { Problem } from '../problem.ts';
import { changed } from '../reply.ts';

const OFF = 'Authentication is off: auth.enabled is false, and every caller is an admin.';

/** Serves sign-in, sign-out and the identity of the caller. @param authentication null while authentication is off */
export function sessionRoutes(
  api: ApiRouter<Operations>,
  authentication: { readonly authentication: Authentication; readonly dependencies: AuthenticationDependencies } | null,
): void {
  if (authentication === null) {
    api.on('getSession', () => changed<Operations['getSession']>(AUTHENTICATION_OFF, false));
    for (const id of ['signIn', 'signOut'] as const) {
      api.on(id, () => {
        throw new Problem('feature_disabled', OFF);
      });
    }
    return;
  }
  const { dependencies, authentication: auth } = authentication;
  const local = new LocalSignIn(auth, dependencies);
  api.on('getSession', async ({ http }) => {
    // A caller that cannot be verified is not signed in: this endpoint always answers.
    const caller = await auth.identify(http).catch(() => null);
    return changed<Operations['getSession']>(sessionRecord(caller), false);
  });
  api.on('signIn', async ({ http, body, query }, response) => {
    const caller = await local.signIn(http, body);
    const dryRun = query.dryRun === true;
    if (caller.session !== null && !dryRun) await auth.send(caller.session, http, response);
    return changed<Operations['signIn']>(sessionRecord(caller), dryRun);
  });
  api.on('signOut', async ({ http, query }, response) => {
    const caller = await auth.identify(http);
    const dryRun = query.dryRun === true;
    if (!dryRun) {
      const session = caller?.session ?? null;
      if (session !== null) {
        await dependencies.store.endSession(session.id, session.createdAt + SESSION_MS);
        dependencies.logger.info('Signed out', { email: session.email });
      }
      response.setHeader('Set-Cookie', setCookie('', 0, auth.isSecure(http)));
    }
    return changed<Operations['signOut']>(sessionRecord(null), dryRun);
  });
}
