/**
 * Who asks, and what of the cluster they may see. While authentication is off everyone is `EVERYONE_IS_ADMIN`. Queries
 * apply it, once; no one else filters.
 */
export interface Scope {
  /** Everything, the admin surface included. */
  readonly admin: boolean;
  /** May change things inside its namespaces. */
  readonly operator: boolean;
  /** For audit, events and what is written as `by`. */
  readonly actor: string;
  /** Equal for callers that see the same; entity tags and caches hold it. */
  readonly key: string;
  allows(namespace: string): boolean;
}

/** The scope of every caller while `auth.enabled` is false. */
export const EVERYONE_IS_ADMIN: Scope = { admin: true, operator: true, actor: 'anonymous', key: 'admin', allows: () => true };

/** The first of the namespaces that the scope does not grant; undefined where it grants all. */
export function deniedNamespace(scope: Scope, namespaces: readonly string[]): string | undefined {
  return namespaces.find((namespace) => !scope.allows(namespace));
}
