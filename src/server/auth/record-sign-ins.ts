import { type AccessEventLog } from '../../application/index.ts';
import { ANONYMOUS } from '../../core/access/scope.ts';
import { requestFactsOf, requestIdOf } from '../request-context.ts';
import type { SignIns } from './sign-ins.ts';

/** Records every sign-in, refused sign-in and sign-out. */
export function recordSignIns(signIns: SignIns, events: AccessEventLog): void {
  signIns.subscribe(({ outcome, via, email, address, reason }, request) => {
    requestFactsOf(request).isRecorded = true;
    const requestId = request.res === undefined ? '' : requestIdOf(request.res);
    if (outcome === 'refused') {
      const actor = { email: null, ...ANONYMOUS };
      events.deny({ actor, action: 'signIn', target: via, requestId, address, code: reason ?? 'refused', isChange: true });
      return;
    }
    events.record({
      actor: { email, via: via === 'proxy' ? 'proxy' : 'session', keyId: null },
      action: outcome === 'signed-in' ? 'signIn' : 'signOut',
      target: via,
      outcome: 'allowed',
      before: null,
      after: null,
      requestId,
      address,
    });
  });
}
