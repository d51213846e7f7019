import type { AccessRequest, Session } from '../../../apis/http/types.generated.ts';
import { act, read } from './api.ts';
import { byId, h, type PageElement } from './dom.ts';

/** Namespaces as users type them, separated by commas or spaces. */
export function readNamespaces(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((name) => name !== '');
}

/** What a request asks for: `operator in shop, team-*`. */
export function describeRequest({ requestedRole, requestedNamespaces }: AccessRequest): string {
  return requestedRole === 'admin' ? requestedRole : `${requestedRole} in ${requestedNamespaces.join(', ')}`;
}

/** Shows the user's request, or the form to send one, instead of the dashboard. @param checkAgain called to see whether it was decided */
export async function showRequestAccess(session: Session, checkAgain: () => void): Promise<void> {
  const requests = await read<readonly AccessRequest[]>('/access-requests/own?limit=1').catch(() => ({ data: [] }));
  const [latest] = requests.data;
  byId('content').replaceChildren(
    h(
      'section',
      { class: 'card sign-in', 'aria-label': 'Request access' },
      h('header', {}, h('h2', {}, 'Request access')),
      h(
        'div',
        { class: 'body' },
        h('p', { class: 'sub' }, `You are signed in as ${session.email ?? ''}, and have no grant.`),
        latest?.state === 'pending' ? pendingRequest(latest, checkAgain) : requestForm(session, latest, checkAgain),
      ),
    ),
  );
}

function pendingRequest(request: AccessRequest, checkAgain: () => void): PageElement {
  const again = h('button', { class: 'btn', type: 'button' }, 'Check again');
  again.addEventListener('click', checkAgain);
  const text = `You have requested ${describeRequest(request)}. An admin approves or denies it.`;
  return h('div', { class: 'stack' }, h('p', { role: 'status' }, text), again);
}

function requestForm(session: Session, latest: AccessRequest | undefined, checkAgain: () => void): PageElement {
  const role = h('select', {}, ...['viewer', 'operator', 'admin'].map((name) => h('option', { value: name }, name)));
  const namespaces = h('input', { type: 'text', placeholder: 'shop team-*', autocomplete: 'off' });
  const reason = h('input', { type: 'text', maxlength: 300, autocomplete: 'off' });
  const problem = h('p', { role: 'alert' }, latest?.state === 'denied' ? 'Your last request was denied. You can send another one.' : '');
  const button = h('button', { class: 'btn', type: 'submit' }, 'Send request');
  const submit = async (): Promise<void> => {
    button.disabled = true;
    try {
      const body = { role: role.value ?? '', namespaces: readNamespaces(namespaces.value ?? ''), reason: reason.value ?? '' };
      await act<AccessRequest>('POST', '/access-requests', body);
      await showRequestAccess(session, checkAgain);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      button.disabled = false;
    }
  };
  const onsubmit = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    void submit();
  };
  return h(
    'form',
    { class: 'stack', onsubmit },
    h('label', { class: 'field' }, 'Role', role),
    h('label', { class: 'field' }, 'Namespaces, as names or globs', namespaces),
    h('label', { class: 'field' }, 'Reason', reason),
    problem,
    button,
  );
}

/** An address as an admin has to read it: each letter that is not ASCII with its code, since it may look like another one. */
export function readableAddress(email: string): string {
  return email.replaceAll(
    /[^\x20-\x7e]/gu,
    (letter) => `${letter}[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
