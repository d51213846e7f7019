import { describe, expect, test } from '@jest/globals';
import { faultOf } from './postgres-faults.ts';
import { IncompatibleSchema } from './upgrade-schema.ts';

const anError = (message: string, code?: string): Error => Object.assign(new Error(message), code === undefined ? {} : { code });

describe('the kind of a PostgreSQL error', () => {
  test.each<[string, unknown, string]>([
    ['no server listens', anError('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'), 'refused'],
    ['a name with two addresses', new AggregateError([anError('connect ECONNREFUSED ::1', 'ECONNREFUSED'), anError('x')]), 'refused'],
    ['an error of another realm', { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' }, 'refused'],
    ['the server starts', anError('the database system is starting up', '57P03'), 'refused'],
    ['too many connections', anError('sorry, too many clients already', '53300'), 'refused'],
    ['no connection in time', anError('timeout exceeded when trying to connect'), 'refused'],
    ['an administrator ended it', anError('terminating connection due to administrator command', '57P01'), 'lost'],
    ['the server crashed', anError('Connection terminated unexpectedly'), 'lost'],
    ['the network is gone', anError('Query read timeout'), 'lost'],
    ['a reset', anError('read ECONNRESET', 'ECONNRESET'), 'lost'],
    ['the primary became a standby', anError('cannot execute INSERT in a read-only transaction', '25006'), 'lost'],
    ['a wrong password', anError('password authentication failed for user "keel"', '28P01'), 'wrong'],
    ['an unknown authority', anError('self-signed certificate in certificate chain', 'SELF_SIGNED_CERT_IN_CHAIN'), 'wrong'],
    ['a newer store', new IncompatibleSchema(9, 2), 'wrong'],
    ['a full disk', anError('could not extend file', '53100'), 'statement'],
    ['a statement that took too long', anError('canceling statement due to statement timeout', '57014'), 'statement'],
    ['nothing known', 'text', 'statement'],
  ])('%s', (_, error, kind) => {
    expect(faultOf(error).kind).toBe(kind);
    expect(faultOf(error).message).not.toBe('');
  });
});
