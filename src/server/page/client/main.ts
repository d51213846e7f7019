import { choicesNow, type Filter, type Span } from './address.ts';
import { showAccessRequests } from './cards/access-requests.ts';
import { byId, page, type PageEvent } from './dom.ts';
import { followStream } from './live.ts';
import { Overview } from './overview.ts';
import { showRequestAccess } from './request-access.ts';
import { allowedOf, isAccessChanged, isAdmitted, readSession, showSignIn, type Allowed } from './sign-in.ts';
import { showUser } from './signed-in.ts';
import { startTheme } from './theme.ts';

declare const location: { reload(): void };

startTheme();
let cursor = -1;
const reload = (): void => location.reload();
const session = await readSession();
let isSigningOut = false;
if (session !== null) showUser(session, () => (isSigningOut = true));
if (!isAdmitted(session)) showSignIn(reload);
else if (session?.role === null) await showRequestAccess(session, reload);
else start(allowedOf(session));

function start(allowed: Allowed): void {
  const overview = new Overview(choicesNow(), allowed);
  overview.draw();
  byId('keys').hidden = false;
  if (allowed.administer) void showAccessRequests();
  followStream({
    cluster: (record) => overview.onCluster(record),
    recommendations: (change) => overview.onRecommendations(change),
    reload: () => void overview.readAll(),
    connection: (up) => {
      overview.onConnection(up);
      // The stream ends with the session and with each change of the grant. A session that cannot be read then is read once it is back.
      void reloadForChangedAccess();
    },
  });

  for (const button of page().body.querySelectorAll('[data-show]')) {
    button.addEventListener('click', () => overview.choose({ show: button.dataset['show'] as Filter }));
  }
  for (const button of page().body.querySelectorAll('[data-span]')) {
    button.addEventListener('click', () => overview.choose({ span: button.dataset['span'] as Span }));
  }
  byId('search').addEventListener('input', (event) => overview.choose({ q: event.target.value ?? '' }));

  page().addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      for (const details of page().body.querySelectorAll('details[open]')) details.open = false;
      overview.closeDetail();
      return;
    }
    if (isTyping(event)) return;
    if (event.key === '/') {
      event.preventDefault();
      byId('search').focus();
    }
    if (event.key === 'j' || event.key === 'k') moveTo(cursor + (event.key === 'j' ? 1 : -1));
  });
}

async function reloadForChangedAccess(): Promise<void> {
  const now = await readSession();
  // While the user signs out, the stream ends first: a reload would cancel the way to the issuer's page.
  if (isAccessChanged(session, now) && !isSigningOut) reload();
}

/** Moves the focus to the name of a row; Enter opens it. */
function moveTo(next: number): void {
  const rows = [...byId('recommendations').querySelectorAll('tbody .name')];
  cursor = Math.max(0, Math.min(rows.length - 1, next));
  const row = rows[cursor];
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

function isTyping(event: PageEvent): boolean {
  if (event.ctrlKey === true || event.metaKey === true || event.altKey === true) return true;
  return event.target.closest('input, textarea, select') !== null;
}
