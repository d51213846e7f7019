/** What of a request tells who made it. Header values as they came. */
export interface OriginEvidence {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly secFetchMode: string | undefined;
  readonly secFetchDest: string | undefined;
}

/**
 * Whether a request comes from the dashboard's own pages or from no page at all. Holds whatever the credential, none
 * included: with authentication off, being able to reach the address is the only credential there is, and every page in
 * the person's browser has it. A plain GET navigation (a link that someone follows) is let through: its answer is not
 * readable by the page that held the link.
 */
export function isSameOrigin(evidence: OriginEvidence, publicOrigin: string | undefined): boolean {
  const { method, secFetchSite, secFetchMode, secFetchDest } = evidence;
  const navigates = method === 'GET' && secFetchMode === 'navigate' && (secFetchDest === undefined || secFetchDest === 'document');
  if (navigates) return true;
  if (secFetchSite === 'cross-site' || secFetchSite === 'same-site') return false;
  return isOwnOrigin(evidence.origin, evidence.host, publicOrigin);
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (publicOrigin !== undefined && origin === publicOrigin) return true;
  const match = /^https?:\/\/([^/]+)$/.exec(origin);
  return match !== null && host !== undefined && match[1]?.toLowerCase() === host.toLowerCase();
}
