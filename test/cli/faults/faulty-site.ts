/** A site to break: its data folder is copied for each test. */
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, expect } from 'vitest';
import { tempFolder } from '../../support/temp-folder.ts';
import { runCommand, type TerminalOptions } from '../terminal.ts';

/** The data folder of a working site, and a copy of it for each test. */
export let template: string;
export let folder: string;

/** Makes the folders before the tests of a file. */
export function makeFaultySite(): void {
  beforeAll(async () => {
    template = tempFolder();
    const env = { GATEWAY_DATA: template, KEY: 'sk-upstream-1234567890' };
    const account = 'setup --username root --password-stdin';
    expect((await runCommand(account, { env, stdin: 'password-1' })).exit).toBe(0);
    const channel = 'channel create --name main --type openai --key-env KEY --models m';
    expect((await runCommand(channel, { env })).exit).toBe(0);
  });
  beforeEach(async () => {
    folder = tempFolder();
    for (const name of ['gateway.sqlite', 'secret.key'])
      await copyFile(path.join(template, name), path.join(folder, name));
  });
}

/** A path in the folder of this test. */
export const at = (name: string) => path.join(folder, name);

/** Runs the command once on the folder of this test. */
export function gateway(words: string, { env, ...options }: TerminalOptions = {}) {
  return runCommand(words, { ...options, env: { GATEWAY_DATA: folder, ...env } });
}

interface Fault {
  readonly code: string;
  readonly exit?: number;
  /** What the sentence must name. */
  readonly names?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command as a person in each language and as a program, and compares what they get. */
export async function expectFault(words: string, { code, exit = 3, names, env = {} }: Fault) {
  const asJson = await gateway(`${words} --json`, { env });
  const { error } = JSON.parse(asJson.err);
  expect([asJson.exit, error.code, asJson.out]).toEqual([exit, code, '']);
  expect(error.hint).toBeTruthy();
  for (const [lang, script] of [
    ['en', /^[\p{ASCII}…]+$/u],
    ['zh', /\p{Script=Han}/u],
  ] as const) {
    const shown = await gateway(words, { env: { ...env, GATEWAY_LANG: lang } });
    expect(shown.exit).toBe(exit);
    const [sentence = '', hint = '', ...more] = shown.err.trimEnd().split('\n');
    expect(sentence.replaceAll(folder, '')).toMatch(script);
    expect(hint.replaceAll(folder, '')).toMatch(script);
    expect(`${sentence}${hint}`).not.toMatch(/\?|\{\{/);
    expect(more).toEqual([]);
    if (names !== undefined) expect(sentence).toContain(names);
  }
}

/** Expects the check of `gateway doctor` to fail with this text. */
export async function expectFinding(check: string, sentence: string): Promise<void> {
  const { exit, out } = await gateway('doctor --json');
  expect(exit).toBe(9);
  expect(JSON.parse(out).items).toContainEqual({
    check,
    result: 'failed',
    detail: expect.stringContaining(sentence),
  });
}
