/** The user of a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** Members of the group may do everything, regardless of RBAC. */
export const MASTERS_GROUP = 'system:masters';
export const AUTHENTICATED_GROUP = 'system:authenticated';

/** The user of the kubeconfig that the embedded cluster writes. */
export const ADMIN: UserInfo = { username: 'kubernetes-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

export function serviceAccountUser(namespace: string, name: string, uid: string): UserInfo {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED_GROUP],
  };
}
