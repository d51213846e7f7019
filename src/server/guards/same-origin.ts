/** Request headers that identify the origin, unmodified. */
export interface OriginEvidence {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly secFetchSite: string | undefined;
  readonly secFetchMode: string | undefined;
  readonly secFetchDest: string | undefined;
}

/**
 * Whether a request comes from the dashboard's own pages, or from no web page. Applies with any credentials and without: with
 * authentication off, network access is the only credential, and every page in the user's browser has it. A plain GET navigation (following
 * a link) is allowed, since the linking page cannot read the answer.
 */
export function isSameOrigin(evidence: OriginEvidence, publicOrigin: string | undefined): boolean {
  const { method, secFetchSite, secFetchMode, secFetchDest } = evidence;
  const isNavigation = method === 'GET' && secFetchMode === 'navigate' && (secFetchDest === undefined || secFetchDest === 'document');
  if (isNavigation) return true;
  if (secFetchSite === 'cross-site' || secFetchSite === 'same-site') return false;
  return isOwnOrigin(evidence.origin, evidence.host, publicOrigin);
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicOrigin: string | undefined): boolean {
  if (origin === undefined) return true;
  if (publicOrigin !== undefined && origin === publicOrigin) return true;
  const match = /^https?:\/\/([^/]+)$/.exec(origin);
  return match !== null && host !== undefined && match[1]?.toLowerCase() === host.toLowerCase();
}
