// Options of a write, from its query and headers.

import type { Authorizer } from '../access/authorization.ts';
import type { FieldError } from '../api-error.ts';
import type { WriteRequest } from '../verbs/write-request.ts';
import type { ApiCall } from './api-call.ts';
import { forbidden, optionsInvalid, tooLong, unsupported } from './option-errors.ts';

const FIELD_MANAGER_MAX_LENGTH = 128;
const OPTIONS_OF = { POST: 'CreateOptions', PUT: 'UpdateOptions', PATCH: 'PatchOptions', DELETE: 'DeleteOptions' } as const;
const VALIDATIONS = ['Ignore', 'Strict', 'Warn'] as const;

export function isTrue(value: string | undefined): boolean {
  return value === 'true' || value === '1';
}

/** Throws ApiStatusError 422 for invalid options. */
export function writeRequestOf(call: ApiCall, authorizer: Authorizer): WriteRequest {
  const isApply = call.contentType?.startsWith('application/apply-patch') === true;
  const errors = call.method === 'GET' ? [] : optionErrors(call, isApply);
  if (call.method !== 'GET' && errors.length > 0) throw optionsInvalid(OPTIONS_OF[call.method], errors);
  return {
    user: call.user.username,
    fieldManager: call.query['fieldManager'] ?? (isApply ? '' : (call.userAgent?.split('/', 1)[0] ?? 'unknown')),
    dryRun: call.query['dryRun'] === 'All',
    fieldValidation: VALIDATIONS.find((known) => known === call.query['fieldValidation']) ?? 'Warn',
    trusted: false,
    duplicateFields: call.duplicateFields ?? [],
    isAllowed: (attributes) => authorizer.decide(call.user, attributes).allowed,
  };
}

function optionErrors({ query, method }: ApiCall, isApply: boolean): FieldError[] {
  const { fieldValidation: validation = '', dryRun = '', fieldManager = '', force } = query;
  const errors: FieldError[] = [];
  if (dryRun !== '' && dryRun !== 'All') errors.push(unsupported('dryRun', [dryRun], ['All']));
  if (validation !== '' && !VALIDATIONS.some((known) => known === validation))
    errors.push(unsupported('fieldValidation', validation, ['', ...VALIDATIONS]));
  if (fieldManager.length > FIELD_MANAGER_MAX_LENGTH) errors.push(tooLong('fieldManager', FIELD_MANAGER_MAX_LENGTH));
  if (isTrue(force) && !isApply && method === 'PATCH') errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  return errors;
}
