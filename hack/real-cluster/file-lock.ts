import { createHash } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Runs the work while no other process in this network namespace holds the lock of this name. The lock is an abstract Unix socket: binding
 * is atomic, and the kernel releases it with its process. A lock file would have to be taken over from a dead holder, and two processes
 * that do so at once can remove each other's new lock. @param onWait called once with the holder's process id when the lock is taken
 */
export async function withLock<T>(name: string, onWait: (pid: number) => void, work: () => Promise<T>): Promise<T> {
  let report = onWait;
  let lock = await tryLock(name);
  while (lock === null) {
    await released(addressOf(name), report);
    report = () => undefined;
    lock = await tryLock(name);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** A held lock. */
export class Lock {
  readonly #server: Server;
  readonly #waiting = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    // The lock does not keep the process alive.
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

/** Takes the lock if it is free; null when this or another process holds it. */
export function tryLock(name: string): Promise<Lock | null> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (err: NodeJS.ErrnoException) => (err.code === 'EADDRINUSE' ? resolve(null) : reject(err)));
    server.listen(addressOf(name), () => resolve(new Lock(server)));
  });
}

function addressOf(name: string): string {
  return `\0evenkeel-lock-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Resolves when the holder has released the lock or has exited. */
function released(address: string, onHolder: (pid: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('data', (pid: Buffer) => onHolder(Number(pid.toString())));
    // Refused: the lock was released in between.
    socket.on('error', () => undefined).once('close', () => resolve());
  });
}
