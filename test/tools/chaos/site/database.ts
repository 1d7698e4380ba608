/**
 * The database of the cluster: a separate server on a separate machine. Each engine is a row;
 * starting, killing, pausing, slowing down and cutting off work alike for all.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Machine } from './network.ts';
import { listening } from './waiting.ts';

interface Kind {
  /** The system user the server runs as; it does not run as root. */
  readonly user: string;
  readonly port: number;
  /** Creates the files of a new server in `data`, an empty folder. */
  prepare(data: string): void;
  command(data: string): readonly string[];
  dsn(address: string): string;
  /** SQL that counts the gateways' connections, as `n`. */
  readonly connections: string;
}

const MARIADB_DATABASE = 'gateway';

export const DATABASES = {
  postgres: {
    user: 'postgres',
    port: 5432,
    prepare(data) {
      const how = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
      runAs('postgres', [`${postgresBin()}/initdb`, '-D', data, ...how]);
      writeFileSync(path.join(data, 'pg_hba.conf'), 'host all all 0.0.0.0/0 trust\n');
    },
    command(data) {
      const settings = ['listen_addresses=*', 'unix_socket_directories=', 'shared_buffers=64MB'];
      const flags = settings.flatMap((setting) => ['-c', setting]);
      return [...as('postgres'), `${postgresBin()}/postgres`, '-D', data, ...flags];
    },
    dsn: (address) => `postgres://postgres@${address}:5432/postgres`,
    connections:
      "select count(*) as n from pg_stat_activity where application_name like 'gateway %'",
  },
  mariadb: {
    user: 'mysql',
    port: 3306,
    prepare(data) {
      const how = ['--skip-test-db', '--auth-root-authentication-method=normal'];
      runAs('mysql', ['mariadb-install-db', '--no-defaults', `--datadir=${data}`, ...how]);
      const user = `'gateway'@'%'`;
      const statements = [
        `create database if not exists ${MARIADB_DATABASE} character set utf8mb4;`,
        `create user if not exists ${user};`,
        `grant all on ${MARIADB_DATABASE}.* to ${user};`,
      ];
      writeFileSync(path.join(data, 'start.sql'), `${statements.join('\n')}\n`);
    },
    command(data) {
      const flags = [
        `--datadir=${data}`,
        `--init-file=${data}/start.sql`,
        `--socket=${data}/socket`,
        `--pid-file=${data}/pid`,
        '--bind-address=0.0.0.0',
        '--skip-name-resolve',
        '--innodb-buffer-pool-size=64M',
      ];
      return [...as('mysql'), 'mariadbd', '--no-defaults', ...flags];
    },
    dsn: (address) => `mysql://gateway@${address}:3306/${MARIADB_DATABASE}`,
    connections: "select count(*) as n from information_schema.processlist where user = 'gateway'",
  },
} as const satisfies Record<string, Kind>;

export type DatabaseKind = keyof typeof DATABASES;

export interface Database {
  readonly kind: DatabaseKind;
  readonly machine: Machine;
  readonly dsn: string;
  /** Resolves when the server accepts connections; commits before a kill are preserved. */
  start(): Promise<void>;
}

export function isDatabaseKind(name: string): name is DatabaseKind {
  return name in DATABASES;
}

export function databaseOn(machine: Machine, folder: string, kind: DatabaseKind): Database {
  const { user, port, prepare, command, dsn } = DATABASES[kind];
  const data = path.join(folder, kind);
  return {
    kind,
    machine,
    dsn: dsn(machine.address),
    async start() {
      if (!existsSync(data)) {
        mkdirSync(data);
        execFileSync('chown', [`${user}:`, data]);
        prepare(data);
      }
      machine.start(command(data), { log: `${kind}.log` });
      await listening(machine.address, port, `${kind} accepts connections`);
    },
  };
}

function postgresBin(): string {
  const versions = readdirSync('/usr/lib/postgresql').sort();
  return `/usr/lib/postgresql/${versions.at(-1)}/bin`;
}

function as(user: string): string[] {
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
}

function runAs(user: string, command: readonly string[]): void {
  const [program = '', ...words] = [...as(user), ...command];
  execFileSync(program, words, { stdio: 'ignore', cwd: '/' });
}
