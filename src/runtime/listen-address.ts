export interface ListenAddress {
  /** undefined for all interfaces, as in `:9090`. */
  readonly host: string | undefined;
  readonly port: number;
}

/** Parses `:9090`, `127.0.0.1:9090` or `[::1]:0`; undefined where the text is no such address. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? '';
  return { host: host === '' ? undefined : host, port };
}
