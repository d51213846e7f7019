import type { HttpMethod } from '#kube/api-transport';
import type { UserInfo } from '../access/user.ts';

/** A request as the API server sees it, independent of the transport: authenticated, with a parsed body. */
export interface ApiCall {
  readonly method: HttpMethod;
  /** Encoded, without query. */
  readonly path: string;
  /** Decoded; the last of several equal names. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly accept?: string;
  readonly contentType?: string;
  readonly userAgent?: string;
  /** Must not be changed or retained. */
  readonly body?: unknown;
  /** Paths of fields that the text of the body gave twice. */
  readonly duplicateFields?: readonly string[];
  readonly user: UserInfo;
}
