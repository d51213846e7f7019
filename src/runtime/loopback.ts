/** Whether a host of a URL, or an address, is this machine. A name that only begins like a loopback address is not. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
