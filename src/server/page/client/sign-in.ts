import type { Session } from '../../../apis/http/types.generated.ts';
import { act, read } from './api.ts';
import { byId, h, page, type PageElement } from './dom.ts';

declare const location: { readonly pathname: string; readonly search: string; readonly hash: string };

/** Who this browser is signed in as; null without an answer. */
export async function readSession(): Promise<Session | null> {
  const answer = await read<Session>('/auth/session').catch(() => null);
  return answer === null ? null : answer.data;
}

/** Whether the server answers this browser: it has a session, or needs none. */
export function isAdmitted(session: Session | null): boolean {
  return session === null || !session.authEnabled || session.authenticated;
}

/** What the page offers a user. */
export interface Allowed {
  /** The cards of what only an admin may read. */
  readonly administer: boolean;
  /** The buttons that change something. */
  readonly operate: boolean;
  /** Shown to users without these buttons: who decides on recommendations. */
  readonly whoDecides: string;
}

const OPERATORS_DECIDE = 'An operator or an admin decides on it.';
const LOOPBACK_DECIDES =
  'Open the dashboard by kubectl port-forward to decide on it: changes without a credential are accepted only there.';

/** What the user may do. Nothing without an answer: the page is loaded again once the server answers. */
export function allowedOf(session: Session | null): Allowed {
  const has = (capability: 'administer' | 'operate'): boolean => session?.capabilities.includes(capability) === true;
  const whoDecides = session?.authEnabled === false ? LOOPBACK_DECIDES : OPERATORS_DECIDE;
  return { administer: has('administer'), operate: has('operate'), whoDecides };
}

/**
 * Whether a page that was loaded with one session has to be loaded again for another. @param before null: it could not be read
 * @param now null: it cannot be read; the page asks again
 */
export function isAccessChanged(before: Session | null, now: Session | null): boolean {
  if (now === null) return false;
  return before === null || accessOf(before) !== accessOf(now);
}

function accessOf({ role, namespaces, capabilities }: Session): string {
  return JSON.stringify([role, namespaces, capabilities]);
}

/** Shows the ways to sign in instead of the dashboard. @param signedIn called after a sign-in with a password */
export function showSignIn(signedIn: () => void): void {
  const { localSignIn, issuer } = page().documentElement.dataset;
  const hasPassword = localSignIn === 'true';
  const ways = [
    ...(issuer === undefined ? [] : [h('div', { class: 'body' }, issuerLink(issuer))]),
    ...(hasPassword ? [passwordForm(signedIn, issuer === undefined)] : []),
  ];
  const missing = h('p', { class: 'body' }, 'No way to sign in is enabled: see auth.oidc and auth.local in the settings.');
  byId('content').replaceChildren(
    h(
      'section',
      { class: 'card sign-in', 'aria-label': 'Sign in' },
      h('header', {}, h('h2', {}, 'Sign in')),
      ...(ways.length === 0 ? [missing] : ways),
    ),
  );
  // Its links need a credential.
  byId('foot').hidden = true;
  byId('content').querySelector('input, a')?.focus();
}

/** Returns to the address that the browser has now. */
function issuerLink(issuer: string): PageElement {
  const { pathname, search, hash } = location;
  const href = `auth/login?returnTo=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
  return h('a', { class: 'btn go', id: 'sign-in-issuer', href }, `Sign in with ${issuer}`);
}

function passwordForm(signedIn: () => void, isOnlyWay: boolean): PageElement {
  const email = h('input', { type: 'email', autocomplete: 'username', required: true });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true });
  const problem = h('p', { role: 'alert' });
  const button = h('button', { class: isOnlyWay ? 'btn go' : 'btn', type: 'submit' }, 'Sign in');
  const submit = async (): Promise<void> => {
    button.disabled = true;
    try {
      await act<Session>('POST', '/auth/local', { email: email.value ?? '', password: password.value ?? '' });
      signedIn();
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      button.disabled = false;
    }
  };
  return h(
    'form',
    {
      class: 'body',
      onsubmit: (event) => {
        event.preventDefault();
        void submit();
      },
    },
    field('E-mail address', email),
    field('Password', password),
    problem,
    button,
  );
}

function field(label: string, input: PageElement): PageElement {
  return h('label', { class: 'field' }, label, input);
}
