export { AccessEventLog, eventActor } from './access-event-log.ts';
export { ACCESS, canCompare, type Access } from './access.ts';
export {
  Application,
  type ChangeSource,
  type CommandAnswer,
  type CommandInput,
  type CommandName,
  type QueryAnswer,
  type QueryInput,
  type QueryName,
} from './application.ts';
export type { Caller } from '../commands/context.ts';
export { hashOfBody } from '../commands/idempotency.ts';
export { REFUSAL_CODE, type CommandRefusal } from '../commands/outcome.ts';
export { STALE_AFTER_SECONDS } from '../queries/freshness.ts';
export type { NamespaceHealth } from '../queries/workloads/namespace-health.ts';
export type { Found, Page } from '../queries/outcome.ts';
