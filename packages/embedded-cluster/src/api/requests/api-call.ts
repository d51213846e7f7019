import type { HttpMethod } from '#kube/api-transport';
import type { UserInfo } from '../access/user.ts';

/** A request as the API server sees it, whatever it came by: authenticated, its body parsed. */
export interface ApiCall {
  readonly method: HttpMethod;
  /** Encoded, without query. */
  readonly path: string;
  /** Decoded; the last of several equal names. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly contentType?: string;
  readonly userAgent?: string;
  /** Never changed and never kept. */
  readonly body?: unknown;
  /** Paths of fields that the text of the body gave twice. */
  readonly duplicateFields?: readonly string[];
  readonly user: UserInfo;
}
