import type { Session } from '../../../apis/http/types.generated.ts';
import { act, read } from './api.ts';
import { byId, h, type PageElement } from './dom.ts';

/** Whether the server answers this browser: it has a session, or needs none. True without an answer: the dashboard shows that failure. */
export async function isAdmitted(): Promise<boolean> {
  const session = await read<Session>('/auth/session').catch(() => null);
  return session === null || !session.data.authEnabled || session.data.authenticated;
}

/** Shows the form to sign in instead of the dashboard. @param signedIn called afterwards */
export function showSignIn(signedIn: () => void): void {
  const email = h('input', { type: 'email', autocomplete: 'username', required: true });
  const password = h('input', { type: 'password', autocomplete: 'current-password', required: true });
  const problem = h('p', { role: 'alert' });
  const button = h('button', { class: 'btn', type: 'submit' }, 'Sign in');
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
  const form = h(
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
  byId('content').replaceChildren(
    h('section', { class: 'card sign-in', 'aria-label': 'Sign in' }, h('header', {}, h('h2', {}, 'Sign in')), form),
  );
  email.focus();
}

function field(label: string, input: PageElement): PageElement {
  return h('label', { class: 'field' }, label, input);
}
