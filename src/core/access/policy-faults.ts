import type { ErrorDetail } from '../../apis/http/types.generated.ts';
import type { AccessPolicySpec } from '../../apis/v1alpha1/index.ts';
import { instantOf } from '#kube/time/iso-time';
import { parseGlob } from '../model/names/glob.ts';
import { parseEmail } from './grant.ts';

/** As the custom resource has it. */
const DOMAIN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/** Entries of an AccessPolicy that are in its schema and give nothing, each with its JSON Pointer below `spec` and the remedy. */
export function findPolicyFaults({ grants = [], autoApprove = [] }: AccessPolicySpec): readonly ErrorDetail[] {
  return [
    ...grants.flatMap(({ email, expiresAt, namespaces }, index) => [
      ...emailFaults(email).map((message) => ({ path: `/grants/${index}/email`, message })),
      ...(expiresAt === undefined || instantOf(expiresAt) !== null
        ? []
        : [{ path: `/grants/${index}/expiresAt`, message: 'must be a time such as 2027-01-01T00:00:00Z' }]),
      ...namespaceFaults(namespaces, `/grants/${index}`),
    ]),
    ...repeatedFaults(
      grants.map(({ email }) => parseEmail(email)),
      (index) => `/grants/${index}/email`,
      (first) => `repeats the address of grants[${first}]; remove one of the two`,
    ),
    ...autoApprove.flatMap(({ domain, namespaces }, index) => [
      ...(DOMAIN.test(domain)
        ? []
        : [{ path: `/autoApprove/${index}/domain`, message: 'must be a domain in lower case, such as example.com' }]),
      ...namespaceFaults(namespaces, `/autoApprove/${index}`),
    ]),
    ...repeatedFaults(
      autoApprove.map(({ domain }) => domain),
      (index) => `/autoApprove/${index}/domain`,
      (first) => `repeats the domain of autoApprove[${first}]; remove one of the two`,
    ),
  ];
}

function emailFaults(email: string): readonly string[] {
  const parsed = parseEmail(email);
  if (parsed === null) return ['must be an e-mail address, such as ana@example.com'];
  return parsed === email ? [] : [`must be in lower case: ${parsed}`];
}

function namespaceFaults(namespaces: readonly string[] | undefined, entry: string): readonly ErrorDetail[] {
  return (namespaces ?? []).flatMap((text, index) => {
    const glob = parseGlob(text);
    return glob.ok ? [] : [{ path: `${entry}/namespaces/${index}`, message: glob.message }];
  });
}

function repeatedFaults(
  keys: readonly (string | null)[],
  pathOf: (index: number) => string,
  messageOf: (first: number) => string,
): readonly ErrorDetail[] {
  const firstByKey = new Map<string, number>();
  return keys.flatMap((key, index) => {
    if (key === null) return [];
    const first = firstByKey.get(key);
    if (first !== undefined) return [{ path: pathOf(index), message: messageOf(first) }];
    firstByKey.set(key, index);
    return [];
  });
}
