import { createServer } from 'node:net';

/**
 * Below the ephemeral range (from 32768), and above the range of test/e2e's free ports: neither takes the port of a component that is
 * briefly stopped.
 */
export const PORT_RANGE = { from: 30_000, to: 32_767 } as const;

/** Ports of loopback without a listener, all different, and none of the reserved ones. */
export async function reservePorts(count: number, reserved: ReadonlySet<number> = new Set()): Promise<readonly number[]> {
  const { from, to } = PORT_RANGE;
  const size = to - from + 1;
  // Starts at a random port, because other programs may choose at the same time.
  const first = Math.floor(Math.random() * size);
  const chosen: number[] = [];
  for (let step = 0; step < size && chosen.length < count; step++) {
    const port = from + ((first + step) % size);
    if (!reserved.has(port) && (await isFree(port))) chosen.push(port);
  }
  if (chosen.length < count) throw new Error(`no ${count} free ports between ${from} and ${to}`);
  return chosen;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    // On all addresses, because the simulated kubelets listen on others than 127.0.0.1.
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
