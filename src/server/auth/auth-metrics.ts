import type { Metrics } from '../../ports/metrics.ts';
import type { ProblemCode } from '../problem.ts';
import type { SignInEvent } from './sign-ins.ts';

/** Metrics of who may call. */
export interface AuthMetrics {
  signIn(event: SignInEvent): void;
  /** Counts an answer that denies access; others are ignored. */
  answered(code: ProblemCode): void;
}

/** Codes of answers that deny access. Others are in `evenkeel_http_requests_total`. */
const DENIALS: ReadonlySet<ProblemCode> = new Set([
  'unauthenticated',
  'forbidden',
  'api_key_read_only',
  'csrf_failed',
  'session_required',
  'rate_limited',
]);

/** Registers the `evenkeel_auth_*` metrics. No label has an address, a name or a credential. */
export function authMetrics(metrics: Metrics): AuthMetrics {
  const signIns = metrics.counter({
    name: 'evenkeel_auth_sign_ins_total',
    help: 'Sign-ins, by method and outcome: signed-in, or the reason of the refusal. Each that succeeds starts a session.',
    labels: ['method', 'outcome'],
  });
  const ended = metrics.counter({
    name: 'evenkeel_auth_sessions_ended_total',
    help: 'Sessions that were signed out before they expired, by the method of their sign-in.',
    labels: ['method'],
  });
  const denials = metrics.counter({
    name: 'evenkeel_auth_denials_total',
    help: 'Requests that were denied, by reason: unauthenticated, forbidden, api_key_read_only, csrf_failed, session_required, rate_limited.',
    labels: ['reason'],
  });
  return {
    signIn: ({ outcome, via, reason }) => {
      if (outcome === 'signed-out') ended.add(1, { method: via });
      else signIns.add(1, { method: via, outcome: reason ?? outcome });
    },
    answered: (code) => {
      if (DENIALS.has(code)) denials.add(1, { reason: code });
    },
  };
}
