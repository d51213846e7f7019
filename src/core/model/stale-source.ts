/** `informers`: objects of the API server, including the status of pods. `usage`: measurements of kubelets or another source. */
export type SourceName = 'informers' | 'usage';

/** Data and samples older than this many periods of their source are stale. */
export const STALE_PERIODS = 2;

/** A source whose data is too old to act on. */
export interface StaleSource {
  readonly source: SourceName;
  /** Age and problem of the source. */
  readonly message: string;
}
