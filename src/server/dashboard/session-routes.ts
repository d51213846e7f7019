import type { Request } from 'express';
import type { Operations } from '../../apis/http/types.generated.ts';
import { replicaWarnings } from '../../core/access/replica-reports.ts';
import type { ApiRouter } from '../api-router.ts';
import type { Authentication, AuthenticationDependencies } from '../auth/authentication.ts';
import { LocalSignIn } from '../auth/local-sign-in.ts';
import { beginProxySession } from '../auth/proxy-sign-in.ts';
import { anonymousSessionRecord, sessionRecord } from '../auth/session-record.ts';
import type { SignIns } from '../auth/sign-ins.ts';
import { Problem } from '../problem.ts';
import { changed } from '../reply.ts';

const OFF = 'Authentication is off: auth.enabled is false, and every caller is an admin.';

/**
 * Serves sign-in, sign-out and the identity of the caller. @param authentication null while authentication is off
 * @param report counts and records a refused credential
 * @param acceptsAnonymousChanges whether changes without credentials are accepted from the client of a request
 */
export function sessionRoutes(
  api: ApiRouter<Operations>,
  authentication: {
    readonly authentication: Authentication;
    readonly dependencies: AuthenticationDependencies;
    readonly signIns: SignIns;
  } | null,
  report: (request: Request, problem: Problem) => void,
  acceptsAnonymousChanges: (request: Request) => boolean,
): void {
  if (authentication === null) {
    api.on('getSession', ({ http }) => changed<Operations['getSession']>(anonymousSessionRecord(acceptsAnonymousChanges(http)), false));
    for (const id of ['signIn', 'signOut'] as const) {
      api.on(id, () => {
        throw new Problem('feature_disabled', OFF);
      });
    }
    return;
  }
  const { dependencies, authentication: auth, signIns } = authentication;
  const local = new LocalSignIn(auth, dependencies, signIns);
  api.on('getSession', async ({ http }, response) => {
    // A caller that cannot be verified is not signed in: this endpoint always answers.
    const identified = await auth.identify(http).catch((err: unknown) => {
      if (err instanceof Problem) report(http, err);
      return null;
    });
    const caller = identified?.via === 'proxy' ? await beginProxySession(signIns, identified, http, response) : identified;
    return changed<Operations['getSession']>(sessionRecord(caller), false);
  });
  api.on('signIn', async ({ http, body, query }, response) => {
    const user = await local.verify(http, body);
    const dryRun = query.dryRun === true;
    const caller = dryRun ? await signIns.callerOf(user) : await signIns.complete(user, http, response);
    return changed<Operations['signIn']>(sessionRecord(caller), dryRun);
  });
  api.on('signOut', async ({ http, query }, response) => {
    const dryRun = query.dryRun === true;
    const answer = changed<Operations['signOut']>(sessionRecord(null), dryRun);
    if (!dryRun) return { ...answer, warnings: replicaWarnings(await signIns.signOut(http, response), false) };
    await auth.identify(http);
    return answer;
  });
}
