/** Reports each change of a source. */
export interface Changes<Change> {
  /** Count of all changes so far. A listener that was called less often has missed some. */
  revision(): number;
  /** Calls the listener synchronously after each change; it must only take note. Returns the cancel function. */
  subscribe(listener: (change: Change) => void): () => void;
}
