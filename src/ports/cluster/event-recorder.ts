/** The `regarding` object of an Event. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
}

/** An Event to be written. */
export interface EventSpec {
  readonly subject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, a constant of the API. */
  readonly reason: string;
  /** `action` of events.k8s.io: `Resize`, `RollBack`, … */
  readonly action: string;
  readonly message: string;
}

/** Writes Events without blocking and without throwing; a failed write is counted. Equal Events within 2 minutes become one series. */
export interface EventRecorder {
  record(event: EventSpec): void;
}
