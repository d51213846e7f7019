/** What was asked did not answer, or answered that it cannot now: the fault is there, and says nothing about what was asked for. */
export class OutOfReachError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutOfReachError';
  }
}

/** Whether the error, or one that it was caused by, is an `OutOfReachError`. */
export function isOutOfReach(err: unknown): boolean {
  for (let cause = err; cause instanceof Error; cause = cause.cause) if (cause instanceof OutOfReachError) return true;
  return false;
}
