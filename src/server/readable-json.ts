// JSON for a person at a terminal: indented for curl and wget, as kube-apiserver does it. The value is the same, so the ETag is, too.

/** Indents JSON text where the client is a command for a terminal. @param userAgent the header of the request */
export function readableFor(userAgent: string | undefined, json: string): string {
  return /^(curl|Wget)\//.test(userAgent ?? '') ? `${JSON.stringify(JSON.parse(json), null, 2)}\n` : json;
}
