/**
 * Separate Redis servers for a test: a cluster, or a master with a replica and Sentinels. They need
 * the program `redis-server`; if it is missing, the rule for databases applies (test/support/databases.ts).
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env, stderr } from 'node:process';
import { freePort } from './ports.ts';
import { eventually } from './site.ts';

export interface RedisServer {
  readonly port: number;
  /** Runs a command through redis-cli. */
  command(...words: readonly string[]): string;
  signal(name: NodeJS.Signals): void;
}

export interface RedisServers {
  start(...options: readonly string[]): Promise<RedisServer>;
  startSentinel(config: string): Promise<RedisServer>;
  stop(): Promise<void>;
}

/** For `describe.skipIf(!hasRedisServer())`. */
export function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version']);
    return true;
  } catch {
    const line = 'NOT TESTED with Redis Cluster and Sentinel: there is no redis-server';
    if (env.CI) throw new Error(line);
    stderr.write(`\n*** ${line} ***\n\n`);
    return false;
  }
}

const WAIT_MS = 20_000;

export function redisServers(): RedisServers {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-redis-'));
  const running: ChildProcess[] = [];

  const run = async (args: readonly string[], port: number): Promise<RedisServer> => {
    const child = spawn('redis-server', args, { cwd: folder, stdio: 'ignore' });
    running.push(child);
    const command = (...words: readonly string[]) =>
      execFileSync('redis-cli', ['-p', String(port), ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    const answers = () => {
      try {
        return command('ping') !== ''; // a NOAUTH error also means that it is up
      } catch {
        return false;
      }
    };
    await eventually('Redis answers', answers, WAIT_MS, 50);
    return { port, command, signal: (name) => void child.kill(name) };
  };

  return {
    async start(...options) {
      const port = await freePort();
      const own = [
        '--port',
        port,
        '--save',
        '',
        '--appendonly',
        'no',
        '--dbfilename',
        `${port}.rdb`,
      ];
      return run([...own.map(String), ...options], port);
    },
    async startSentinel(config) {
      const port = await freePort();
      const file = path.join(folder, `sentinel-${port}.conf`);
      writeFileSync(file, `port ${port}\ndir ${folder}\n${config}\n`);
      return run([file, '--sentinel'], port);
    },
    async stop() {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
