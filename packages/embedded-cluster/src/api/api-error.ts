// Errors with the messages of the API server: a `Status` object with reason, details and causes.

export interface FieldError {
  /** Dotted path, `spec.containers[0].name`. */
  readonly field: string;
  readonly type:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany';
  /** As kubectl prints it after the path: `Required value`, `Invalid value: "x": must be …`. */
  readonly message: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason: string; message: string; field: string }[];
  retryAfterSeconds?: number;
}

/** Thrown by verbs and strategies; the HTTP layer returns it unchanged. */
export class ApiStatusError extends Error {
  readonly code: number;
  readonly reason: string;
  /** Many errors have no details; empty ones are omitted. */
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'ApiStatusError';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): Record<string, unknown> {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: shown(this.details) }),
      code: this.code,
    };
  }
}

function shown(details: StatusDetails): StatusDetails {
  const filled = <T extends object>(object: T): T => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== '')) as T;
  return filled({ ...details, ...(details.causes === undefined ? {} : { causes: details.causes.map(filled) }) });
}

interface Subject {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly name: string;
}

export function notFound(of: Subject): ApiStatusError {
  return new ApiStatusError(404, 'NotFound', `${qualified(of)} "${of.name}" not found`, {
    name: of.name,
    group: of.group,
    kind: of.plural,
  });
}

export function alreadyExists(of: Subject): ApiStatusError {
  return new ApiStatusError(409, 'AlreadyExists', `${qualified(of)} "${of.name}" already exists`, {
    name: of.name,
    group: of.group,
    kind: of.plural,
  });
}

export function conflict(
  of: Subject,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): ApiStatusError {
  return new ApiStatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(of)} "${of.name}": ${why}`, {
    name: of.name,
    group: of.group,
    kind: of.plural,
  });
}

export function forbidden(of: Subject, why: string): ApiStatusError {
  return new ApiStatusError(403, 'Forbidden', `${qualified(of)} "${of.name}" is forbidden: ${why}`, {
    name: of.name,
    group: of.group,
    kind: of.plural,
  });
}

/** An internal error of a real server: only a message. */
export function fault(message: string): ApiStatusError {
  return new ApiStatusError(500, '', message);
}

/** 400 for an object that cannot be decoded. A patch with such a result is refused with the same `why`, but as invalid. */
export class UndecodableError extends ApiStatusError {
  readonly why: string;

  constructor(kind: string, version: string, wanted: string, why: string) {
    super(400, 'BadRequest', `${kind} in version "${version}" cannot be handled as a ${wanted}: ${why}`);
    this.name = 'UndecodableError';
    this.why = why;
  }
}

export function badRequest(message: string): ApiStatusError {
  return new ApiStatusError(400, 'BadRequest', message);
}

export function invalid(of: Subject, errors: readonly FieldError[]): ApiStatusError {
  const words = errors.map((error) => `${error.field}: ${error.message}`);
  const list = words.length === 1 ? (words[0] ?? '') : `[${words.join(', ')}]`;
  return new ApiStatusError(422, 'Invalid', `${of.kind}${of.group === '' ? '' : `.${of.group}`} "${of.name}" is invalid: ${list}`, {
    name: of.name,
    group: of.group,
    kind: of.kind,
    causes: errors.map((error) => ({ reason: error.type, message: error.message, field: error.field })),
  });
}

function qualified(of: Subject): string {
  return of.group === '' ? of.plural : `${of.plural}.${of.group}`;
}
