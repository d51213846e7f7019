/** A service did not answer, or answered that it cannot now. Says nothing about the requested object. */
export class UnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnavailableError';
  }
}

/** Whether the error or one of its causes is an `UnavailableError`. */
export function isUnavailable(err: unknown): boolean {
  for (let cause = err; cause instanceof Error; cause = cause.cause) if (cause instanceof UnavailableError) return true;
  return false;
}
