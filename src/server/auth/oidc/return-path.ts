// Where the browser goes after a sign-in: a path of the dashboard and never another site, whatever the link to sign in says.

/** The path waits in a cookie, of which browsers keep 4096 bytes. */
const MAX_BYTES = 1024;
/** More rounds of percent-encoding than any link needs. */
const MAX_ROUNDS = 5;
/** Any origin, against which the path is resolved as a browser does. */
const BASE = 'http://dashboard.invalid';

/** Whether a browser that is sent to the path stays on the dashboard, also after a proxy decodes it. */
export function isSafeReturnPath(text: string): boolean {
  if (Buffer.byteLength(text) > MAX_BYTES || hasForbidden(text)) return false;
  let path = text.split(/[?#]/, 1)[0] ?? '';
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (!isOwnPath(path)) return false;
    const decoded = decode(path);
    if (decoded === path) return true;
    path = decoded;
  }
  return false;
}

function isOwnPath(path: string): boolean {
  if (!/^\/(?![/\\])/.test(path) || hasForbidden(path)) return false;
  const url = new URL(path, BASE);
  // Without the pages of sign-in and sign-out, to which a return would loop.
  return url.origin === BASE && !url.pathname.startsWith('//') && !/\/auth\//i.test(url.pathname);
}

/** Browsers read a backslash as a slash, and skip control characters. */
function hasForbidden(text: string): boolean {
  return /[\\\p{C}]/u.test(text);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not percent-encoding: what it holds is a name.
    return path;
  }
}
