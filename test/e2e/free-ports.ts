import { createServer, type Server } from 'node:net';

/**
 * Below the ephemeral port range (from 32768 on Linux): another connection could take a port of that range before the process listens on
 * it.
 */
const [FROM, TO] = [12_000, 30_000];
const MAX_TRIES = 1000;

/** Unused ports of loopback, all different, chosen at random because tests run concurrently. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = new Map<number, Server>();
  for (let tries = 0; servers.size < count && tries < MAX_TRIES; tries += 1) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM));
    const server = await listening(port);
    if (server !== null) servers.set(port, server);
  }
  await Promise.all([...servers.values()].map((server) => new Promise((resolve) => server.close(resolve))));
  if (servers.size < count) throw new Error(`no ${count} free ports of loopback from ${FROM} to ${TO}`);
  return [...servers.keys()];
}

/** A server that listens on the port; null when the port is in use. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
