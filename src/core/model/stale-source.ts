/** Informers: what the API server says, the status of pods among it. Usage: what kubelets, or the source in their place, measure. */
export type SourceName = 'informers' | 'usage';

/** Older than this many of its periods a source no longer says how things are, and a sample no longer what is used now. */
export const STALE_PERIODS = 2;

/** What is too old to act on. */
export interface StaleSource {
  readonly source: SourceName;
  /** How old it is, and what is wrong with it, in words. */
  readonly message: string;
}
