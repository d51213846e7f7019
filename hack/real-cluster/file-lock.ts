import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';

/**
 * Runs the work while no other process of this machine holds the lock of the same path. The lock is a Unix socket in Linux'
 * abstract namespace: binding is atomic, and the kernel releases it with its process. A file would have to be taken over from a
 * holder that died, and two processes that do so at once can remove each other's new lock.
 *
 * @param onWait called once with the holder's process id where the lock has to be waited for
 */
export async function whileLocked<T>(path: string, onWait: (pid: number) => void, work: () => Promise<T>): Promise<T> {
  // What is locked is about to be written there.
  mkdirSync(dirname(path), { recursive: true });
  let report = onWait;
  let lock = await tryLock(path);
  while (lock === null) {
    await released(addressOf(path), report);
    report = () => undefined;
    lock = await tryLock(path);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

export class Lock {
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    // A lock keeps no process from ending.
    server.unref();
    server.on('connection', (socket) => {
      this.#waiting.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#waiting.delete(socket));
      socket.write(String(process.pid));
    });
  }

  release(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#waiting) socket.destroy();
    return closed;
  }
}

/** null: it is held, by another process or by this one. */
export function tryLock(path: string): Promise<Lock | null> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => (err.code === 'EADDRINUSE' ? resolve(null) : reject(err)));
    server.listen(addressOf(path), () => resolve(new Lock(server)));
  });
}

function addressOf(path: string): string {
  return `\0evenkeel-lock-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
}

/** Resolves when the holder has released the lock, or has died. */
function released(address: string, onHolder: (pid: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('data', (pid: Buffer) => onHolder(Number(pid.toString())));
    // Refused: it was released in between.
    socket.on('error', () => undefined).once('close', () => resolve());
  });
}
