import type { AccessRequest } from '../../../../apis/http/types.generated.ts';
import { act, read } from '../api.ts';
import { byId, h, type PageElement } from '../dom.ts';
import { describeRequest, readableAddress } from '../request-access.ts';

/** Shows pending access requests to admins; others, and an admin without pending ones, see no card. */
export async function showAccessRequests(): Promise<void> {
  const pending = await read<readonly AccessRequest[]>('/access-requests').catch(() => null);
  const requests = pending?.data ?? [];
  byId('access-requests').hidden = requests.length === 0;
  byId('access-requests-rows').replaceChildren(...requests.map(row));
}

function row(request: AccessRequest): PageElement {
  const problem = h('p', { class: 'sub', role: 'alert' });
  const decide = (label: string, path: string, style: string): PageElement => {
    const button = h('button', { class: style, type: 'button' }, label);
    button.addEventListener('click', () => {
      button.disabled = true;
      void act('POST', path, { id: request.id }).then(showAccessRequests, (error: unknown) => {
        problem.textContent = error instanceof Error ? error.message : String(error);
        button.disabled = false;
      });
    });
    return button;
  };
  return h(
    'div',
    { class: 'request' },
    h(
      'span',
      {},
      h('b', {}, h('bdi', {}, readableAddress(request.email))),
      ` ${describeRequest(request)}${request.reason === '' ? '' : `: ${request.reason}`}`,
    ),
    decide('Approve', '/access-requests/approve', 'btn sm go'),
    decide('Deny', '/access-requests/deny', 'btn sm'),
    problem,
  );
}
