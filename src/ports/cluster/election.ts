/** Leader election of this process among its replicas. */
export interface Election {
  /** Identity of the last observed holder; null where the lease has none or was not read yet. */
  holder(): string | null;
  /** The lease's transitions in this replica's present or last term. Later terms have greater numbers, unless the Lease was deleted. */
  transitions(): number;
  /** Why the lease cannot be read or written; null while it can. */
  problem(): string | null;
  /** Compares clocks instead of relying on a timer or a message, which may be late. */
  isLeader(): boolean;
  /**
   * Runs until `signal` aborts. `lead` is called once per term with a signal that aborts when the term ends. The lease is released only
   * after `lead` has returned, so that no other replica starts while this one still writes.
   */
  run(lead: (term: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** Machine time until which this process is the leader, however late the process reads it. */
export interface LeadershipDeadline {
  /** 0 while it is not the leader. */
  get(): number;
  set(untilMs: number): void;
}
