/**
 * Who asks, and what of the cluster they may see. While authentication is off everyone is `EVERYONE_IS_ADMIN`.
 * `Application` compares it with the requirement of each call; queries filter by it.
 */
export interface Scope {
  /** A valid credential; while authentication is off, everyone. */
  readonly identified: boolean;
  /** Has a grant of any role. */
  readonly viewer: boolean;
  /** May change things in at least one namespace. */
  readonly operator: boolean;
  /** Everything, the admin surface included. */
  readonly admin: boolean;
  /** The credential is the session of a browser. */
  readonly session: boolean;
  /** For audit, events and what is written as `by`. */
  readonly actor: string;
  /** Equal for callers that see the same; entity tags and caches hold it. */
  readonly key: string;
  /** May read the namespace. */
  allows(namespace: string): boolean;
  /** May change things in the namespace. */
  operates(namespace: string): boolean;
}

/** The scope of every caller while `auth.enabled` is false. */
export const EVERYONE_IS_ADMIN: Scope = {
  identified: true,
  viewer: true,
  operator: true,
  admin: true,
  session: false,
  actor: 'anonymous',
  key: 'admin',
  allows: () => true,
  operates: () => true,
};

/** The first of the namespaces that the scope does not grant; undefined where it grants all. */
export function deniedNamespace(scope: Scope, namespaces: readonly string[]): string | undefined {
  return namespaces.find((namespace) => !scope.allows(namespace));
}
