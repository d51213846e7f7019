import { createServer } from 'node:net';

/** Returns the default port if it is free on loopback, else 0 for any free port. */
export function freePort(defaultPort: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(defaultPort, '127.0.0.1', () => probe.close(() => resolve(defaultPort)));
  });
}
