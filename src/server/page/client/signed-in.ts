import type { Session } from '../../../apis/http/types.generated.ts';
import { byId, h, type PageElement } from './dom.ts';

/** Shows in the top bar who is signed in, with the button to sign out. @param signingOut called before the browser leaves */
export function showUser(session: Session, signingOut: () => void): void {
  if (session.authenticated) byId('user').replaceChildren(signOutForm(session, signingOut));
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
