import { createServer, type Server } from 'node:net';

/**
 * Below what systems give away by themselves (32768 and up on Linux): a port of those may be another connection's before the
 * process that it was picked for has come as far as to listen.
 */
const [FROM, TO] = [12_000, 30_000];
const MAX_TRIES = 1000;

/** Unused ports of loopback, all different, and chosen at random: tests run beside each other. */
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

/** null: the port is in use. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
