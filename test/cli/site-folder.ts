/** Runs commands on a data folder of a test's own, or on a site that the tests of a file share. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, expect } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';
import { runCommand, type TerminalOptions } from './terminal.ts';

export let folder: string;

/** Makes a folder before each test of a file. */
export function makeFolderPerTest(): void {
  beforeEach(makeFolder);
}

/** Sets up a site before the tests of a file. */
export function makeSitePerFile(): void {
  beforeAll(async () => {
    makeFolder();
    await setUp();
  });
}

function makeFolder(): void {
  folder = tempFolder();
}

/** Runs the command once on the data folder. */
export function gateway(words: string | readonly string[], options: TerminalOptions = {}) {
  const env = { GATEWAY_DATA: folder, UPSTREAM_KEY: 'sk-upstream-1234567890', ...options.env };
  return runCommand(words, { ...options, env });
}

/** Runs the command that creates the database and the account. */
export async function runSetup(): Promise<void> {
  const done = await gateway('setup --username root --password-stdin', { stdin: 'password-1\n' });
  expect(done.exit).toBe(0);
}

type SavedFiles = readonly { readonly name: string; readonly bytes: Buffer }[];

let saved: SavedFiles | undefined;

/**
 * Makes the folder that of a site that was just set up. The command runs once in each process, and later
 * sites are copies of its files, because migrating an empty database takes longer than most tests.
 */
export async function setUp(): Promise<void> {
  if (saved === undefined) {
    await runSetup();
    saved = await filesIn(folder);
    return;
  }
  for (const { name, bytes } of saved)
    await writeFile(path.join(folder, name), bytes, { mode: 0o600 });
}

async function filesIn(from: string): Promise<SavedFiles> {
  const names = await readdir(from);
  return Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(path.join(from, name)) })),
  );
}

export async function connect(baseUrl = 'http://127.0.0.1:1'): Promise<void> {
  const words = `channel create --name main --type openai --key-env UPSTREAM_KEY --models gpt-4o,gpt-4o-mini --base-url ${baseUrl}`;
  expect((await gateway(words)).exit).toBe(0);
}

/** Writes a document of a site, as JSON unless it is a text; returns the path of the file. */
export async function fileOf(document: object | string): Promise<string> {
  const file = path.join(folder, 'site.yaml');
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}
