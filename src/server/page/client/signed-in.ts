import type { Session } from '../../../apis/http/types.generated.ts';
import { byId, h, type PageElement } from './dom.ts';

/** Shows in the top bar who is signed in, with the button to sign out. @param signingOut called before the browser leaves */
export function showUser(session: Session, signingOut: () => void): void {
  if (session.authenticated) byId('user').replaceChildren(signOutForm(session, signingOut));
}

/** Shows who is signed in instead of the dashboard, which the address has no grant for. */
export function showNoGrant({ email }: Session): void {
  const body = h(
    'div',
    { class: 'body' },
    h(
      'p',
      {},
      `You are signed in as ${email ?? 'an unknown user'}. An admin must grant a role to this address before you see anything here.`,
    ),
    h('p', { class: 't3 small' }, 'After that, reload this page. With another address, sign out first.'),
  );
  byId('content').replaceChildren(
    h('section', { class: 'card sign-in', 'aria-label': 'No access' }, h('header', {}, h('h2', {}, 'No access yet')), body),
  );
}

/** A form, so that the browser follows the answer to the issuer's page to sign out. */
function signOutForm({ email, name }: Session, signingOut: () => void): PageElement {
  return h(
    'form',
    { class: 'user', method: 'post', action: 'auth/logout', onsubmit: signingOut },
    h('span', { class: 't3 small hide-s', title: name ?? undefined }, email),
    h('button', { class: 'btn bare sm', type: 'submit' }, 'Sign out'),
  );
}
