import { createServer } from 'node:net';

/** The usual port where it is free on loopback, else 0: any free one. */
export function freePort(usual: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(usual, '127.0.0.1', () => probe.close(() => resolve(usual)));
  });
}
