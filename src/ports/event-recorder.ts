/** The object an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
  readonly uid: string;
}

export interface EventSpec {
  readonly subject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, a constant of the API. */
  readonly reason: string;
  /** What was done, for events.k8s.io: `Resize`, `RollBack`, … */
  readonly action: string;
  readonly message: string;
}

/** Never awaited and never throws: an event that cannot be written is counted. Equal ones within 2 minutes become one series. */
export interface EventRecorder {
  record(event: EventSpec): void;
}
