import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clientAddress } from './client-address.ts';

const PROXIES: readonly string[] = ['10.0.0.1', '10.0.0.2', '2001:db8::1'];
const isTrusted = (address: string): boolean => PROXIES.includes(address);

describe('the address of a client', () => {
  test.each<[string, string, string | undefined, string]>([
    ['without the header is the peer', '192.0.2.7', undefined, '192.0.2.7'],
    ['with a header of an untrusted peer is the peer', '192.0.2.7', '203.0.113.9', '192.0.2.7'],
    ['behind a trusted proxy is the address that the proxy appended', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['that sent the header itself is what the proxy appended', '10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['that pretends to be a proxy is its own', '10.0.0.1', '198.51.100.1, 10.0.0.2, 203.0.113.9', '203.0.113.9'],
    ['behind two trusted proxies is what the outer one appended', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['where every hop is trusted is the farthest one', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['with the port of the connection has none', '10.0.0.1', '203.0.113.9:55555', '203.0.113.9'],
    ['in brackets with a port', '10.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
    ['in brackets', '10.0.0.1', '[2001:DB8:0:0::7]', '2001:db8::7'],
    ['mapped into IPv6 is the IPv4 address', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['mapped into IPv6 in hexadecimal is the IPv4 address', '::ffff:a00:1', '::FFFF:cb00:7109', '203.0.113.9'],
    ['with a zone has none', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['of an IPv6 proxy that is written otherwise', '2001:DB8:0::1', '203.0.113.9', '203.0.113.9'],
    ['that is unknown to the proxy is the proxy', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['that is a name is the proxy', '10.0.0.1', '198.51.100.1, client.example.com', '10.0.0.1'],
    ['with octets in octal is no address', '10.0.0.1', '0313.0.0161.011', '10.0.0.1'],
    ['with too large an octet is no address', '10.0.0.1', '203.0.113.256', '10.0.0.1'],
    ['as one number is no address', '10.0.0.1', '3405803785', '10.0.0.1'],
    ['in full-width digits is no address', '10.0.0.1', '２０３.0.113.9', '10.0.0.1'],
    ['with an empty header is the peer', '10.0.0.1', '', '10.0.0.1'],
    ['among empty elements', '10.0.0.1', ' , 203.0.113.9 ,, ', '203.0.113.9'],
    ['of commas alone is the peer', '10.0.0.1', ',,,,', '10.0.0.1'],
  ])('%s', (_what, peer, forwardedFor, client) => {
    expect(clientAddress(peer, forwardedFor, isTrusted)).toBe(client);
  });

  test('is found in a header of the maximum size', () => {
    const spoofed = Array<string>(4000).fill('1.1').join(',');
    expect(clientAddress('10.0.0.1', `${spoofed}, 203.0.113.9`, isTrusted)).toBe('203.0.113.9');
    expect(clientAddress('10.0.0.1', Array<string>(4000).fill('10.0.0.2').join(','), isTrusted)).toBe('10.0.0.2');
    expect(clientAddress('10.0.0.1', 'x'.repeat(16_000), isTrusted)).toBe('10.0.0.1');
  });

  test('is what the last trusted proxy appended, whatever the client sent', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (sent) => {
        expect(clientAddress('10.0.0.1', `${sent},203.0.113.9`, isTrusted)).toBe('203.0.113.9');
      }),
    );
  });

  test('behind trusted proxies is always an address', () => {
    const hop = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(...PROXIES), fc.string({ maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(hop), (hops) => {
        const client = clientAddress('10.0.0.1', hops.join(','), () => true);
        expect(clientAddress(client, undefined, () => false)).toBe(client);
        expect(client).toMatch(/^[0-9.]+$|^[0-9a-f:]+$/);
      }),
    );
  });
});
