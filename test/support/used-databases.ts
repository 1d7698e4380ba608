/**
 * Databases on the servers that tests have returned are emptied for the next test, because creating
 * and dropping one takes a server a second. One whose schema or settings a test changed, or that
 * another program still uses, is not used again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Databases } from '../../src/store/connection/database.ts';
import { rowsOf } from '../../src/store/sql/sql-dialect.ts';

interface Server {
  /** One row with `n`: other clients of the database. */
  readonly otherClients: string;
  /** One row that differs if the schema, its migrations or the settings of the database do. */
  readonly shape: string;
  /** Its tables, with their size, and whether they may contain rows. */
  readonly tables: string;
  /** Lets all tables number their rows from 1 again. */
  renumber(used: Databases): Promise<unknown>;
}

/** A table with more bytes than that stays larger than a new one for a while after its rows are deleted. */
const MOST_BYTES = 2_000_000;
const CLIENTS_LEAVE_WITHIN_MS = 500;

const SERVERS: Readonly<Record<'postgres' | 'mysql', Server>> = {
  postgres: {
    otherClients: `select count(*) as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'`,
    shape: `select count(*) as n, sum(hashtext(what)::bigint) as sum from (
      select concat_ws(' ', relname, attname, atttypid, atttypmod, attnotnull, relkind, reltablespace)
        from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace
      union all select concat_ws(' ', conrelid::regclass, conname) from pg_constraint
        where connamespace = 'public'::regnamespace
      union all select concat_ws(' ', tgrelid::regclass, tgname) from pg_trigger
      union all select proname from pg_proc where pronamespace = 'public'::regnamespace
      union all select setconfig::text from pg_db_role_setting join pg_database on pg_database.oid = setdatabase
        where datname = current_database()
      union all select name from schema_migrations
    ) as parts (what)`,
    // A table that never had rows has no bytes. The rows of a partition are deleted through its parent.
    tables: `select coalesce(inhparent, oid)::regclass::text as name, pg_relation_size(oid) as bytes
      from pg_class left join pg_inherits on inhrelid = oid
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not like 'schema%' and pg_relation_size(oid) > 0`,
    renumber: ({ db }) =>
      db.raw(
        `select setval(format('%I', sequencename)::regclass, start_value, false)
          from pg_sequences where last_value is not null and sequencename not like 'schema%'`,
      ),
  },
  mysql: {
    otherClients: `select count(*) as n from information_schema.processlist
      where db = database() and id <> connection_id()`,
    shape: `select count(*) as n, sum(crc32(what)) as sum from (
      select concat_ws(' ', table_name, column_name, column_type, is_nullable, column_default) as what
        from information_schema.columns where table_schema = database()
      union all select concat_ws(' ', table_name, index_name, seq_in_index, column_name)
        from information_schema.statistics where table_schema = database()
      union all select trigger_name from information_schema.triggers where trigger_schema = database()
      union all select name from schema_migrations
    ) as parts`,
    tables: `select table_name as name, data_length as bytes from information_schema.tables
      where table_schema = database() and table_name not like 'schema%'`,
    renumber: renumberMysql,
  },
};

/** What must be the same in a database that is used again. */
export async function shapeOf(database: Databases): Promise<string> {
  return JSON.stringify(rowsOf(await database.db.raw(serverOf(database).shape)));
}

/** Whether the database is as after its creation again. */
export async function emptied(used: Databases, shape: string | undefined): Promise<boolean> {
  const { db } = used;
  const server = serverOf(used);
  if (!(await isUnused(used))) return false;
  if (used.engine === 'postgres') await dropMonths(used);
  if ((await shapeOf(used)) !== shape) return false;
  const tables = rowsOf(await db.raw(server.tables));
  if (tables.some(({ bytes }) => Number(bytes) > MOST_BYTES)) return false;
  await db.transaction(async (trx) => {
    for (const name of new Set(tables.map((table) => String(table.name)))) await trx(name).delete();
  });
  await server.renumber(used);
  return true;
}

/** The server notices a moment later that a client has closed its connections. */
async function isUnused(used: Databases): Promise<boolean> {
  const endsAt = Date.now() + CLIENTS_LEAVE_WITHIN_MS;
  for (;;) {
    const [clients] = rowsOf(await used.db.raw(serverOf(used).otherClients));
    if (Number(clients?.n) === 0) return true;
    if (Date.now() > endsAt) return false;
    await pause(10);
  }
}

/** The partitions of the log that a gateway creates when it starts. */
async function dropMonths({ db }: Databases): Promise<void> {
  const months = rowsOf(
    await db.raw(
      `select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'logs'::regclass and inhrelid::regclass::text like 'logs\\_p%'`,
    ),
  ).map(({ name }) => String(name));
  if (months.length > 0) await db.raw(`drop table ${months.map(() => '??').join(', ')}`, months);
}

function serverOf({ engine }: Databases): Server {
  if (engine === 'sqlite') throw new TypeError('a file is copied');
  return SERVERS[engine];
}

async function renumberMysql({ db }: Databases): Promise<void> {
  const numbered = rowsOf(
    await db.raw(
      `select table_name as name from information_schema.tables
        where table_schema = database() and auto_increment > 1 and table_name not like 'schema%'`,
    ),
  );
  await Promise.all(
    numbered.map(({ name }) => db.raw('alter table ?? auto_increment = 1', [String(name)])),
  );
}
