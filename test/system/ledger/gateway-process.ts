/** Runs the built `gateway serve` as a separate process that can be killed at any moment. */
import { once } from 'node:events';
import path from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { execa } from 'execa';

const ROOT = path.join(import.meta.dirname, '../../..');
/** Between the kills of the processes of one server. */
const LONGEST_PAUSE_MS = 60;
const LISTENING = /http:\/\/127\.0\.0\.1:\d+/;

export interface GatewayProcess {
  readonly url: string;
  /**
   * SIGKILL: no handler runs, nothing is written. Its workers are killed too, one after the other;
   * `first` is the place of the first victim in the order of their start. Resolves when all have
   * ended.
   */
  kill(first?: number): Promise<void>;
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number | undefined>;
}

/** Builds the program if its sources are newer. */
export async function buildProgram(): Promise<void> {
  await execa(execPath, ['build.mjs', '--server', '--if-needed'], { cwd: ROOT });
}

/** Resolves once it listens. The developer's environment is not passed on. */
export async function startProcess(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const child = execa(execPath, ['bin/gateway.js', 'serve', '--port', '0', '--no-web'], {
    cwd: ROOT,
    extendEnv: false,
    env,
    reject: false,
    all: true,
  });
  const output: string[] = [];
  const lines = createInterface({ input: child.all });
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      output.push(line);
      const url = LISTENING.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`gateway serve ended before it listened:\n${output.join('\n')}`);
  });
  const url = await Promise.race([found, ended]);
  ended.catch(() => undefined); // from here on, tests wait for its exit themselves
  return {
    url,
    async kill(first = 0) {
      const pids = [child.pid ?? 0, ...(await workersOf(child.pid ?? 0))];
      const turn = first % pids.length;
      for (const pid of [...pids.slice(turn), ...pids.slice(0, turn)]) {
        killNow(pid);
        if (pids.length > 1) await pause(Math.random() * LONGEST_PAUSE_MS);
      }
      await child;
    },
    async stop() {
      child.kill('SIGTERM');
      return (await child).exitCode;
    },
  };
}

async function workersOf(pid: number): Promise<number[]> {
  const { stdout } = await execa('pgrep', ['-P', String(pid)], { reject: false });
  return stdout.split('\n').filter(Boolean).map(Number);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // A worker ends by itself when its parent is gone.
  }
}
