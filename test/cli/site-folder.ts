/** Runs commands on a data folder of each test's own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { runCommand, type TerminalOptions } from './terminal.ts';

export let folder: string;

/** Makes a folder before each test of a file and removes it afterwards. */
export function makeFolderPerTest(): void {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gateway-cli-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });
}

/** Runs the command once on this test's own data folder. */
export function gateway(words: string, options: TerminalOptions = {}) {
  const env = { GATEWAY_DATA: folder, UPSTREAM_KEY: 'sk-upstream-1234567890', ...options.env };
  return runCommand(words, { ...options, env });
}

export async function setUp(): Promise<void> {
  const done = await gateway('setup --username root --password-stdin', { stdin: 'password-1\n' });
  expect(done.exit).toBe(0);
}

export async function connect(baseUrl = 'http://127.0.0.1:1'): Promise<void> {
  const words = `channel create --name main --type openai --key-env UPSTREAM_KEY --models gpt-4o,gpt-4o-mini --base-url ${baseUrl}`;
  expect((await gateway(words)).exit).toBe(0);
}
