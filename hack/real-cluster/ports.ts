import { createServer } from 'node:net';

// Below the range from which the kernel takes the ports of outgoing connections: a port that a component leaves for a moment
// when it is restarted is not taken by such a connection in between.
const FROM = 15_000;
const TO = 32_000;

/** Ports of loopback that nobody listens on at this moment, all different. */
export async function portsToKeep(count: number): Promise<readonly number[]> {
  const chosen = new Set<number>();
  for (let tries = 0; chosen.size < count; tries++) {
    if (tries > 100 * count) throw new Error(`no ${count} free ports between ${FROM} and ${TO}`);
    const port = FROM + Math.floor(Math.random() * (TO - FROM));
    if (!chosen.has(port) && (await isFree(port))) chosen.add(port);
  }
  return [...chosen];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
