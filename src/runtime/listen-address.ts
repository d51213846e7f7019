export interface ListenAddress {
  /** Undefined: all interfaces, as `:9090` says. */
  readonly host: string | undefined;
  readonly port: number;
}

/** `:9090`, `127.0.0.1:9090`, `[::1]:0` → host and port; undefined where it is neither. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? '';
  return { host: host === '' ? undefined : host, port };
}
