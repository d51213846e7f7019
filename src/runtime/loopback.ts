/** Whether a URL's host or an address is a loopback address. A name such as `127.0.0.1.example.com` is not. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
