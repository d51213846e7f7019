import { canonicalAddress } from './canonical-address.ts';

/**
 * The address of a client: the first hop, from Evenkeel towards the client, that is not a trusted proxy. Hops beyond it are the
 * client's own text. A hop that is no address is not a client either: the proxy that reported it counts instead, so that no text becomes a
 * client.
 * @param peer address of the connection
 * @param forwardedFor X-Forwarded-For: each proxy appends the address from which it received the request
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, isTrusted: (address: string) => boolean): string {
  let client = canonicalAddress(peer) ?? peer;
  let end = forwardedFor?.length ?? 0;
  while (forwardedFor !== undefined && end >= 0 && isTrusted(client)) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1);
    const hop = forwardedFor.slice(comma + 1, end).trim();
    end = comma;
    // Empty elements of a list have no meaning (RFC 9110, section 5.6.1).
    if (hop === '') continue;
    const address = addressOf(hop);
    if (address === null) break;
    client = address;
  }
  return client;
}

/** The address of a hop, which some proxies send with the port. */
function addressOf(hop: string): string | null {
  const match = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(hop) ?? /^([\d.]+):\d{1,5}$/.exec(hop);
  return canonicalAddress(match?.[1] ?? hop);
}
