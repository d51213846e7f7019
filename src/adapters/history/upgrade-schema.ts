import { type Kysely, sql } from 'kysely';
import type { Instant } from '#kube/units';
import type { ColumnTypes, SchemaStep } from './schema-steps.ts';
import type { HistoryTables } from './tables.ts';

/** Records the steps that a store has run. */
const STEPS_TABLE = 'evenkeel_schema_steps';

/** The store has run a step that this version's code cannot read. */
export class IncompatibleSchema extends Error {
  constructor(oldestReader: number, known: number) {
    super(
      `it needs a version of Evenkeel with schema ${oldestReader} or later, and this version has schema ${known}: ` +
        'deploy the version that upgraded the store or a later one, or set history.url to a new store',
    );
  }
}

/** The database-specific part of a schema upgrade. */
export interface SchemaEngine {
  readonly types: ColumnTypes;
  hasTable(db: Kysely<HistoryTables>, name: string): Promise<boolean>;
  /** Oldest schema number whose code can read the store; 0: a new store. */
  readOldestReader(db: Kysely<HistoryTables>): Promise<number>;
  writeOldestReader(db: Kysely<HistoryTables>, schema: number): Promise<void>;
}

/**
 * Runs each step that the store has not run, inside the caller's transaction, which must exclude other writers of the schema. Unknown steps
 * are ignored.
 * @throws IncompatibleSchema, with the store unchanged
 */
export async function upgradeSchema(
  trx: Kysely<HistoryTables>,
  engine: SchemaEngine,
  { steps, now }: { readonly steps: readonly SchemaStep[]; readonly now: Instant },
): Promise<void> {
  const known = steps.at(-1)?.number ?? 0;
  const oldestReader = await engine.readOldestReader(trx);
  if (oldestReader > known) throw new IncompatibleSchema(oldestReader, known);
  const record = (number: number): Promise<unknown> =>
    trx
      .insertInto(STEPS_TABLE)
      .values({ number, applied_at: Math.floor(now) })
      .execute();
  if (!(await engine.hasTable(trx, STEPS_TABLE))) {
    await sql.raw(`create table ${STEPS_TABLE} (number integer primary key, applied_at ${engine.types.integer} not null)`).execute(trx);
    // Versions before schema steps used the same numbers. Step 1 creates missing tables, so it runs on such a store as well.
    for (let number = 2; number <= oldestReader; number += 1) await record(number);
  }
  const recorded = await trx.selectFrom(STEPS_TABLE).select('number').execute();
  const run = new Set(recorded.map(({ number }) => number));
  let required = oldestReader;
  for (const step of steps.filter(({ number }) => !run.has(number))) {
    for (const statement of step.statements(engine.types)) await sql.raw(statement).execute(trx);
    await record(step.number);
    required = Math.max(required, step.oldestReader);
  }
  if (required > oldestReader) await engine.writeOldestReader(trx, required);
}
