import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { PORT_RANGE, reservePorts } from './ports.ts';

const ALL = Array.from({ length: PORT_RANGE.to - PORT_RANGE.from + 1 }, (_, index) => PORT_RANGE.from + index);

function allBut(ports: readonly number[]): ReadonlySet<number> {
  return new Set(ALL.filter((port) => !ports.includes(port)));
}

test('ports of a cluster are all different, and below those of outgoing connections', async () => {
  const ports = await reservePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('a port that another cluster reserves is not chosen, although nothing listens on it', async () => {
  const free = await reservePorts(20);
  const [port = 0] = await reservePorts(1, allBut(free));
  expect(free).toContain(port);
  await expect(reservePorts(1, new Set(ALL))).rejects.toThrow('no 1 free ports between 30000 and 32767');
});

test.each(['127.0.0.1', '127.10.0.1'])('a port on which something listens at %s is not chosen', async (address) => {
  const [busy = 0] = await reservePorts(1);
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(busy, address, resolve));
  try {
    await expect(reservePorts(1, allBut([busy]))).rejects.toThrow('no 1 free ports');
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
