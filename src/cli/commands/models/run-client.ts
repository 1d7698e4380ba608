/** `gateway run`: runs a coding agent on this gateway with a budget, then prints its bill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { BUDGET_PERIODS } from '../../../domain/budgets/budget.ts';
import {
  buildLaunch,
  CLIENTS,
  type Launch,
  launchOfProgram,
  tomlLines,
} from '../../../domain/coding-clients.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { amountText } from '../../../session/text.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { EXIT } from '../../process/exit-codes.ts';
import type { Environment } from '../../process/process-io.ts';
import { writeSettings } from './client-settings.ts';
import { runModels } from './run-model.ts';
import { type Bill, withTemporaryToken } from './temporary-token.ts';

const BUDGET_USD = '5';
const LASTS = '12h';
/** A program that ignores the signal must not keep its API token alive. */
const GRACE_MS = 5_000;

type Signal = keyof typeof constants.signals;

export const run: Noun = {
  name: 'run',
  verbs: [
    command({
      usage: 'run <client> [arguments...]',
      flags: [
        '--model <model>',
        '--usd <amount>',
        '--quota <units>',
        '--per <period>',
        '--expires <time>',
        '--group <name>',
        '--user <user>',
      ],
      examples: [
        'run claude --model claude-sonnet-5-5',
        'run codex --model gpt-5.5 --usd 2 -- exec "fix the tests"',
        'run claude --usd 5 --per day --expires 30d',
        'run gemini --user alice',
        'run -- python agent.py',
      ],
      ownsSignal: true,
      ownsTimeout: true,
      async run(cli, { client: name, arguments: own, model, group, user, ...flags }) {
        const { values } = cli;
        const client = CLIENTS.find((known) => known === name);
        const budget = flags.quota === undefined ? { usd: flags.usd ?? BUDGET_USD } : flags;
        const per = values.choice('--per', flags.per, BUDGET_PERIODS);
        const lastsMs = values.duration('--expires', flags.expires ?? LASTS);
        const purpose = `run-${client ?? 'program'}`;
        const tokenRequest = { purpose, budget, per, lastsMs, group, user };
        if (!cli.globals.dryRun) cli.io.outliveTerminal();
        const done = await withTemporaryToken(cli, tokenRequest, async (site) => {
          const models = await runModels(cli, site, { client, program: name, model });
          const target = { ...site, ...models };
          const launch =
            client === undefined ? launchOfProgram(name, target) : buildLaunch(client, target);
          return runLaunch(cli, { ...launch, args: [...argsOf(launch), ...own] });
        });
        if (done === undefined) return EXIT.ok;
        await printBill(cli, done.bill);
        return done.answer;
      },
    }),
  ],
};

function argsOf({ args, toml }: Launch): string[] {
  const settings = toml === undefined ? [] : tomlLines(toml.values);
  return [...settings.flatMap((line) => ['-c', line.replace(' = ', '=')]), ...args];
}

/**
 * Runs the program in the foreground and returns its exit status.
 * @throws AppError `program_missing`.
 */
async function runLaunch(cli: Cli, launch: Launch): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-run-'));
  try {
    const settings = launch.settings && (await writeSettings(folder, launch.settings, cli.io.env));
    const env = { ...cli.io.env, ...launch.env, ...settings };
    return await exitOf(cli, { ...launch, env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function exitOf(
  cli: Cli,
  { command, args, env }: Pick<Launch, 'command' | 'args'> & { readonly env: Environment },
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env });
  // Ctrl-C reaches the program through the terminal; a service manager signals only this process.
  let killer: NodeJS.Timeout | undefined;
  const pass = () => {
    child.kill('SIGTERM');
    killer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  if (cli.io.signal.aborted) pass();
  cli.io.signal.addEventListener('abort', pass, { once: true });
  try {
    const [code, signal] = await once(child, 'exit');
    return typeof code === 'number' ? code : 128 + (constants.signals[signal as Signal] ?? 0);
  } catch (error) {
    const params = { program: command, clients: CLIENTS.join(', ') };
    throw new AppError('program_missing', params, { cause: error });
  } finally {
    clearTimeout(killer);
    cli.io.signal.removeEventListener('abort', pass);
  }
}

async function printBill(cli: Cli, bill: Bill): Promise<void> {
  const { quotaPerUnit } = await cli.session();
  const { calls, input_tokens: input, output_tokens: output, quota } = bill;
  const amount = amountText(quota, quotaPerUnit);
  cli.note(cli.t('cli.notes.bill', { calls, input, output, quota, amount }));
}
