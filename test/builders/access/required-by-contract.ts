// The contract's table of who may reach which endpoint, independent of the requirements that queries and commands declare.

import type { Access } from '../../../src/application/index.ts';
import { isMutation, type Operation } from '../../../src/server/openapi/operation.ts';

interface Rule {
  readonly paths: RegExp;
  readonly reads: Access;
  readonly changes: Access;
}

/** The first rule whose paths match applies. */
const RULES: readonly Rule[] = [
  { paths: /^\/auth\//, reads: 'open', changes: 'open' },
  { paths: /^\/(mode|health|openapi\.json|docs)$/, reads: 'identified', changes: 'admin' },
  { paths: /^\/(api-keys|access-tokens)(\/|$)/, reads: 'admin-session', changes: 'admin-session' },
  { paths: /^\/access-requests\/own$/, reads: 'identified', changes: 'identified' },
  { paths: /^\/access-requests$/, reads: 'admin', changes: 'identified' },
  { paths: /^\/access-(policy|requests)(\/|$)/, reads: 'admin', changes: 'admin-session' },
  {
    paths:
      /^\/(cluster|nodes|scaling\/status|resize-stats|resize-cycle|policies|policy-overrides|rebalancer|network|cost\/history|interruptions|maintenance|access-events)(\/|$)/,
    reads: 'admin',
    changes: 'admin',
  },
  { paths: /^\/pods\/.*\/(exec|logs|files)/, reads: 'pod-tool', changes: 'pod-tool' },
  { paths: /^\//, reads: 'viewer', changes: 'operator' },
];

/** The access that the contract requires. */
export function requiredByContract(operation: Pick<Operation, 'path' | 'method'>): Access {
  const rule = RULES.find(({ paths }) => paths.test(operation.path));
  if (rule === undefined) throw new Error(`no rule for ${operation.path}`);
  return isMutation(operation) ? rule.changes : rule.reads;
}
