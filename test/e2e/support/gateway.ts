/** Runs `gateway serve` of the built package on an empty data folder. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { codeOf } from '../../support/setup-link.ts';
import { CA_FILE } from '../../support/tls.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/gateway.js', import.meta.url));
const SETUP_LINK = /http:\/\/127\.0\.0\.1:\d+\/setup#code=\S+/;

/** All tests of a worker share one address. */
const UNLIMITED = {
  GATEWAY_WEB_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_CRITICAL_RATE_LIMIT_ENABLED: 'false',
  // No upstream knows of the tasks that tests put into the database.
  GATEWAY_TASK_POLLING: 'false',
};

/** Mail servers and sites of tests show certificates of their own authority. */
const TRUSTS = { GATEWAY_CA_FILE: CA_FILE };

export const ROOT = { username: 'root', password: 'correct horse battery' } as const;

export interface Gateway {
  /** Without a trailing slash. */
  readonly url: string;
  /** The URL of the set-up page with the one-time code. */
  readonly setupLink: string;
  /** The folder of its database. */
  readonly folder: string;
  /** Creates the first administrator, like the set-up page. */
  setUp(): Promise<void>;
  /** Stops the server like a service manager; its folder stays until `remove`. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

export async function startGateway(): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-e2e-'));
  const server = serve(folder);
  const setupLink = await printedLink(server);
  const url = new URL(setupLink).origin;
  const stop = async () => {
    server.kill('SIGTERM');
    await server;
  };
  return {
    url,
    setupLink,
    folder,
    setUp: async () => {
      const answer = await fetch(`${url}/api/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...ROOT,
          confirmPassword: ROOT.password,
          code: codeOf(setupLink),
        }),
      });
      const { success, message } = await answer.json();
      if (!success) throw new Error(`could not set up: ${message}`);
    },
    stop,
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Also for the thread that hashes passwords, which inherits the environment. */
const CHEAP_PASSWORDS = {
  NODE_OPTIONS: `--import=${new URL('./cheap-passwords.mjs', import.meta.url).href}`,
};

/** A build of the console other than `dist/web`. */
const { GATEWAY_WEB_ROOT = '' } = process.env;

/** Passes no other environment variables, so that no other database or Redis is used. */
function serve(folder: string) {
  return execa(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    extendEnv: false,
    env: {
      GATEWAY_DATA: folder,
      HOME: folder,
      GATEWAY_WEB_ROOT,
      ...UNLIMITED,
      ...TRUSTS,
      ...CHEAP_PASSWORDS,
    },
    reject: false,
    all: true,
  });
}

async function printedLink(server: ReturnType<typeof serve>): Promise<string> {
  const output: string[] = [];
  const lines = createInterface({ input: server.all });
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      output.push(line);
      const link = SETUP_LINK.exec(line)?.[0];
      if (link) resolve(link);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`gateway serve ended before it listened:\n${output.join('\n')}`);
  });
  return Promise.race([found, ended]);
}
