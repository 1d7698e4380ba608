/** The gateway that the agents call: the built command with a site in a temporary folder. */
import path from 'node:path';
import { execa } from 'execa';
import { parseJson, textIn } from '../../../src/json/read-json.ts';
import { startChild } from '../bench/environment/processes.ts';

/** Their prices are those of the model catalogue. */
export const MODELS = {
  haiku: 'claude-haiku-4-5',
  sonnet: 'claude-sonnet-5-5',
  codex: 'gpt-5-codex',
} as const;

const GATEWAY = path.resolve('bin/gateway.js');

export interface AgentSite {
  readonly url: string;
  /** Runs a command of the gateway and returns what it prints. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Creates a user with this balance and returns the key of a token without a limit of its own. */
  addUser(username: string, usd: number): Promise<string>;
  stop(): Promise<void>;
}

export async function startSite(folder: string, upstream: string): Promise<AgentSite> {
  const env = { GATEWAY_DATA: path.join(folder, 'site'), GATEWAY_LOG_LEVEL: 'warn' };
  const run = async (args: readonly string[], input = '') =>
    (await execa(process.execPath, [GATEWAY, ...args], { env, input })).stdout;
  await run(['setup', '--username', 'root', '--password-stdin'], PASSWORD);
  const addChannel = (type: string, ...models: string[]) => {
    const flags = ['--type', type, '--base-url', upstream, '--models', models.join(',')];
    return run(['channel', 'create', '--name', type, ...flags, '--key-stdin'], 'upstream-key');
  };
  await addChannel('anthropic', MODELS.haiku, MODELS.sonnet);
  await addChannel('openai', MODELS.codex);
  const server = await startChild(process.execPath, [GATEWAY, 'serve', '--port', '0'], env);
  return {
    url: server.url,
    run,
    async addUser(username, usd) {
      const flags = ['--username', username, '--usd', String(usd), '--password-stdin'];
      await run(['user', 'create', ...flags], PASSWORD);
      const token = ['--name', 'agent', '--user', username, '--unlimited', '--json'];
      const printed = parseJson(await run(['token', 'create', ...token]));
      return textIn(printed, 'key') ?? '';
    },
    stop: () => server.stop(),
  };
}

const PASSWORD = 'a long password';
