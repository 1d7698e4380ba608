/** A separate MariaDB server for tests that would disturb the shared one. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getuid, stderr } from 'node:process';
import { createConnection } from 'mysql2/promise';
import { freePort } from './ports.ts';
import { eventually } from './site.ts';

export interface MariadbServer {
  /**
   * For an account with all rights on one database, which cannot write while the server is
   * read-only.
   */
  readonly url: string;
  /** Runs a statement with all privileges. */
  run(statement: string): Promise<void>;
  stop(): Promise<void>;
}

/** For `describe.skipIf(!hasMariadbServer())`. */
export function hasMariadbServer(): boolean {
  try {
    execFileSync('mariadbd', ['--no-defaults', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    stderr.write('\n*** NOT TESTED with a MariaDB server of its own: there is no mariadbd ***\n\n');
    return false;
  }
}

const NAME = 'gateway';
const PASSWORD = 'of-a-test';

export async function startMariadb(): Promise<MariadbServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-mariadb-'));
  const data = path.join(folder, 'data');
  // MariaDB runs as root only with this flag.
  const account = getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', `--datadir=${data}`, ...account];
  execFileSync('mariadb-install-db', [...common, '--auth-root-authentication-method=normal'], {
    stdio: 'ignore',
  });
  const socketPath = path.join(folder, 'socket');
  const port = await freePort();
  const server = spawn(
    'mariadbd',
    [
      ...common,
      `--socket=${socketPath}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    { stdio: 'ignore' },
  );
  const run = async (statement: string): Promise<void> => {
    const connection = await createConnection({ socketPath, user: 'root' });
    await connection.query(statement).finally(() => connection.end());
  };
  await eventually('MariaDB answers', () =>
    run('select 1').then(
      () => true,
      () => false,
    ),
  );
  await run(`create database ${NAME}`);
  await run(`create user ${NAME}@'127.0.0.1' identified by '${PASSWORD}'`);
  await run(`grant all on ${NAME}.* to ${NAME}@'127.0.0.1'`);
  return {
    url: `mysql://${NAME}:${PASSWORD}@127.0.0.1:${port}/${NAME}`,
    run,
    async stop() {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
