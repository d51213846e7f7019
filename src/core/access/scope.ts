/** How a caller is identified. */
export interface Credential {
  /** `proxy`: the header of a trusted reverse proxy. `anonymous`: no valid credential, or authentication is disabled. */
  readonly via: 'session' | 'api-key' | 'proxy' | 'anonymous';
  /** Id of the API key; null: another credential. */
  readonly keyId: string | null;
}

export const ANONYMOUS: Credential = { via: 'anonymous', keyId: null };

/**
 * The caller and its permissions; `EVERYONE_IS_ADMIN` while authentication is disabled. `Application` checks it against the
 * requirement of each call, and queries filter by it.
 */
export interface Scope {
  /** Has a valid credential, or authentication is disabled. */
  readonly identified: boolean;
  /** Has a grant of any role. */
  readonly viewer: boolean;
  /** Has the role operator in at least one namespace. */
  readonly operator: boolean;
  /** Has the role admin. */
  readonly admin: boolean;
  /** The credential is a browser session. */
  readonly session: boolean;
  /** Name for the audit log, Events and fields `by`. */
  readonly actor: string;
  /** As the sign-in gave it, for access requests. Absent: it gave none. */
  readonly name?: string;
  readonly credential: Credential;
  /** Equal for callers with equal permissions; part of entity tags and cache keys. */
  readonly key: string;
  /** Whether the caller may read the namespace. */
  canView(namespace: string): boolean;
  /** Whether the caller has the role operator in the namespace. */
  canOperate(namespace: string): boolean;
}

/** The scope of every caller while `auth.enabled` is false. */
export const EVERYONE_IS_ADMIN: Scope = {
  identified: true,
  viewer: true,
  operator: true,
  admin: true,
  session: false,
  actor: 'anonymous',
  credential: ANONYMOUS,
  key: 'admin',
  canView: () => true,
  canOperate: () => true,
};

/** The first namespace that the scope does not allow; undefined: it allows all. */
export function deniedNamespace(scope: Scope, namespaces: readonly string[]): string | undefined {
  return namespaces.find((namespace) => !scope.canView(namespace));
}
