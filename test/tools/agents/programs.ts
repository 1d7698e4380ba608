/** The agents themselves: fixed versions from npm, run without a person and without a network. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env } from 'node:process';
import { execa } from 'execa';
import {
  buildLaunch,
  type Client,
  type Target,
  tomlLines,
} from '../../../src/domain/coding-clients.ts';

const PACKAGES = ['@anthropic-ai/claude-code@2.1.197', '@openai/codex@0.171.0'];
const LONGEST_MS = 10 * 60_000;

/** Installs the agents and returns the folder of their commands. */
export async function installAgents(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  await execa('npm', ['install', ...flags, ...PACKAGES], { cwd: folder });
  // Selects the program for this machine, and is the only script of these packages.
  const script = 'node_modules/@anthropic-ai/claude-code/install.cjs';
  await execa(process.execPath, [script], { cwd: folder });
  return path.join(folder, 'node_modules/.bin');
}

export interface Started {
  readonly client: Client;
  readonly args: readonly string[];
  readonly target: Target;
  /** Where it works; its home is a folder in it. */
  readonly folder: string;
  /** Folder of the commands of the agents. */
  readonly commands: string;
}

/** Runs an agent as `gateway run` does, to its end, and returns what it prints. */
export async function runAgent({ client, args, target, folder, commands }: Started) {
  const launch = buildLaunch(client, target);
  const settings = tomlLines(launch.toml?.values ?? {}).flatMap((line) => ['-c', line]);
  const home = path.join(folder, 'home');
  await mkdir(home);
  const { all } = await execa(launch.command, [...settings, ...launch.args, ...args], {
    cwd: folder,
    env: { ...launch.env, ...isolated(home), PATH: `${commands}:${env.PATH}` },
    // The agent fails when its calls are refused.
    reject: false,
    all: true,
    input: '',
    timeout: LONGEST_MS,
  });
  return all;
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** A home of its own, and no way to any other machine. */
function isolated(home: string) {
  return {
    HOME: home,
    HTTP_PROXY: NOWHERE,
    HTTPS_PROXY: NOWHERE,
    NO_PROXY: '127.0.0.1,localhost',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: '32000',
    // Claude Code refuses to skip permissions as root elsewhere.
    IS_SANDBOX: '1',
  };
}

export function claudeArgs(task: string, tools?: string): string[] {
  const chosen = tools === undefined ? [] : ['--tools', tools];
  return ['--dangerously-skip-permissions', ...chosen, '-p', task];
}

export function codexArgs(task: string): string[] {
  const open = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  return ['exec', ...open, task];
}
