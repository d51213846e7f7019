import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqliteDatabase } from 'kysely';

type NodeSqlite = SqliteDatabase & { readonly raw: DatabaseSync };

/** Opens node:sqlite in the shape of Kysely's dialect, which needs no native add-on. Creates the file with mode 0600. */
export function openNodeSqlite(path: string): NodeSqlite {
  if (path !== ':memory:') setOwnerOnlyMode(path);
  const raw = new DatabaseSync(path);
  try {
    // WAL: a reader never waits for the writer. NORMAL: a crash may lose the last batch, never the file.
    // busy_timeout precedes all: processes that create the same file at once wait for each other from the first statement.
    // auto_vacuum precedes WAL: switching to WAL writes the first page, after which SQLite ignores the setting.
    raw.exec('PRAGMA busy_timeout = 5000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
  } catch (cause) {
    raw.close();
    throw cause;
  }
  return toKyselyDatabase(raw);
}

/** Opens an existing file without changing it, also while another process writes to it. */
export function openNodeSqliteReadOnly(path: string): NodeSqlite {
  return toKyselyDatabase(new DatabaseSync(path, { readOnly: true, timeout: 5_000 }));
}

function toKyselyDatabase(raw: DatabaseSync): NodeSqlite {
  return {
    raw,
    close: () => raw.close(),
    prepare: (sql) => {
      const statement = raw.prepare(sql);
      const bind = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...bind(parameters)),
        run: (parameters) => {
          const { changes, lastInsertRowid } = statement.run(...bind(parameters));
          return { changes, lastInsertRowid };
        },
        iterate: (parameters) => statement.iterate(...bind(parameters)),
      };
    },
  };
}

/** Sets mode 0600. SQLite gives its -wal and -shm files the mode of the database. */
function setOwnerOnlyMode(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}
