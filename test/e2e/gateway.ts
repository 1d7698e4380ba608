/** A real `gateway serve` of the built package, on an empty folder of its own. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const PROGRAM = fileURLToPath(new URL('../../bin/gateway.js', import.meta.url));
const LISTENING = /http:\/\/127\.0\.0\.1:\d+/;

export interface Gateway {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Makes the first administrator, as an operator beside the running server would. */
  setUp(): Promise<void>;
  /** Ends the server as a service manager would; its folder stays until `remove`. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function startGateway(): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-e2e-'));
  const run = runner(folder);
  const server = run(['serve', '--port', '0']);
  const stop = async () => {
    server.kill('SIGTERM');
    await server;
  };
  return {
    url: await listeningUrl(server),
    setUp: async () => {
      const password = 'correct horse battery';
      const setup = run(['setup', '--username', 'root', '--password-stdin'], password);
      const { exitCode, all } = await setup;
      if (exitCode !== 0) throw new Error(`gateway setup failed:\n${all}`);
    },
    stop,
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Nothing of the developer's own environment, so no other database or Redis is ever touched. */
function runner(folder: string) {
  return (args: string[], input = '') =>
    execa(process.execPath, [PROGRAM, ...args], {
      input,
      extendEnv: false,
      env: { GATEWAY_DATA: folder, HOME: folder },
      reject: false,
      all: true,
    });
}

async function listeningUrl(server: ReturnType<ReturnType<typeof runner>>): Promise<string> {
  const said: string[] = [];
  const lines = createInterface({ input: server.all });
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      said.push(line);
      const url = LISTENING.exec(line)?.[0];
      if (url) resolve(url);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`gateway serve ended before it listened:\n${said.join('\n')}`);
  });
  return Promise.race([found, ended]);
}
