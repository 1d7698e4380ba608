/** A real `gateway serve` of the built package, on an empty folder of its own. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { codeOf } from '../support/setup-link.ts';
import { CA_FILE } from '../support/tls.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/gateway.js', import.meta.url));
const SETUP_LINK = /http:\/\/127\.0\.0\.1:\d+\/setup#code=\S+/;

/** All tests of a worker come from one address, far more often than people do. */
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
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** What it printed when it started: the set-up page with the one-time code. */
  readonly setupLink: string;
  /** Where its database is; a test may put rows into it. */
  readonly folder: string;
  /** Makes the first administrator, as the set-up page does. */
  setUp(): Promise<void>;
  /** Ends the server as a service manager would; its folder stays until `remove`. */
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

/** Another build of the console than `dist/web`, for who works on one. */
const { GATEWAY_WEB_ROOT = '' } = process.env;

/** Nothing else of the developer's own environment, so no other database or Redis is ever touched. */
function serve(folder: string) {
  return execa(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    extendEnv: false,
    env: { GATEWAY_DATA: folder, HOME: folder, GATEWAY_WEB_ROOT, ...UNLIMITED, ...TRUSTS },
    reject: false,
    all: true,
  });
}

async function printedLink(server: ReturnType<typeof serve>): Promise<string> {
  const said: string[] = [];
  const lines = createInterface({ input: server.all });
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      said.push(line);
      const link = SETUP_LINK.exec(line)?.[0];
      if (link) resolve(link);
    });
  });
  const ended = once(lines, 'close').then(() => {
    throw new Error(`gateway serve ended before it listened:\n${said.join('\n')}`);
  });
  return Promise.race([found, ended]);
}
