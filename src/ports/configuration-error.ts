/** The configuration cannot be used; the message names the cause and the remedy, so that a log omits the stack trace. */
export class ConfigurationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigurationError';
  }
}
