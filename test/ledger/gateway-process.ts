/** Runs the built `gateway serve` as a separate process that can be killed at any moment. */
import { once } from 'node:events';
import path from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { execa } from 'execa';

const ROOT = path.join(import.meta.dirname, '..', '..');
const LISTENING = /http:\/\/127\.0\.0\.1:\d+/;

export interface GatewayProcess {
  readonly url: string;
  /** SIGKILL: no handler runs, nothing is written. Resolves when the process has ended. */
  kill(): Promise<void>;
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
  const said: string[] = [];
  const lines = createInterface({ input: child.all });
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      said.push(line);
      const url = LISTENING.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`gateway serve ended before it listened:\n${said.join('\n')}`);
  });
  const url = await Promise.race([found, ended]);
  ended.catch(() => undefined); // from here on, tests wait for its exit themselves
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    return (await child).exitCode;
  };
  return { url, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') };
}
