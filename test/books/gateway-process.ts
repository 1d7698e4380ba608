/** `gateway serve` as a process of its own, the built program, that can be killed at any moment. */
import { once } from 'node:events';
import path from 'node:path';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { execa } from 'execa';

const ROOT = path.join(import.meta.dirname, '..', '..');
const LISTENING = /http:\/\/127\.0\.0\.1:\d+/;

export interface GatewayProcess {
  readonly url: string;
  /** SIGKILL: no handler runs, nothing is written. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; answers the exit code. */
  stop(): Promise<number | undefined>;
}

/** Builds the program where its sources are newer. */
export async function buildProgram(): Promise<void> {
  await execa(execPath, ['build.mjs', '--server', '--if-needed'], { cwd: ROOT });
}

/** Resolves as soon as it listens. Nothing of the developer's own environment reaches it. */
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
  ended.catch(() => undefined); // from here on its end is what a test asks for
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal);
    return (await child).exitCode;
  };
  return { url, kill: async () => void (await end('SIGKILL')), stop: () => end('SIGTERM') };
}
