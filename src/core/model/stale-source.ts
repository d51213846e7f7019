/** Informers: what the API server says, the status of pods among it. Usage: what kubelets, or the source in their place, measure. */
export type SourceName = 'informers' | 'usage';

/** What is too old to act on. */
export interface StaleSource {
  readonly source: SourceName;
  /** How old it is, and what is wrong with it, in words. */
  readonly message: string;
}
