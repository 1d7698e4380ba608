/** Runs each program of docs/examples against a real gateway. */
import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { env, execPath } from 'node:process';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aSite, OPERATOR, type Site } from '../support/site.ts';
import { tempFolder } from '../support/temp-folder.ts';

const EXAMPLES = path.resolve('docs/examples');
const MODEL = 'gpt-4o-mini';

let site: Site;
const programs = tempFolder();
let environment: Record<string, string>;
beforeAll(async () => {
  site = await aSite();
  await program('gateway', `exec "${execPath}" "${path.resolve('bin/gateway.js')}" "$@"`);
  await program('claude', CLAUDE);
  const root = await site.addUser({ role: 100 });
  environment = {
    PATH: `${programs}:${env.PATH}`,
    HOME: programs,
    GATEWAY_URL: site.url,
    GATEWAY_KEY: site.token.key,
    GATEWAY_ACCESS_TOKEN: await site.as(OPERATOR).user.newAccessToken({ id: root.id }),
    GATEWAY_LANG: 'en',
    OPENAI_KEY: 'sk-example',
    MODEL,
  };
});
afterAll(async () => {
  await site?.close();
});

/** What Claude Code does first with its variables: it posts a message and prints the answer. */
const CLAUDE = `curl -sS "$ANTHROPIC_BASE_URL/v1/messages" \\
  -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" -H 'anthropic-version: 2023-06-01' \\
  -d "{\\"model\\": \\"$ANTHROPIC_MODEL\\", \\"max_tokens\\": 64, \\"messages\\": [{\\"role\\": \\"user\\", \\"content\\": \\"$2\\"}]}"`;

async function program(name: string, script: string) {
  const file = path.join(programs, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

function run(name: string, ...words: string[]) {
  const file = path.join(EXAMPLES, name);
  const [command, first] = name.endsWith('.mjs') ? [execPath, file] : ['sh', file];
  const options = { env: environment, extendEnv: false, reject: false } as const;
  return execa(command, [first, ...words], options);
}

test('every example is run here', async () => {
  const found = (await readdir(EXAMPLES)).filter((name) => /\.(sh|mjs)$/.test(name));
  expect(found.sort()).toEqual([...CALLS.map(({ name }) => name), 'pipeline.sh'].sort());
});

const CALLS = [
  { name: 'chat.sh', shows: /"object":\s*"chat\.completion"/ },
  { name: 'openai.mjs', shows: /\S+\n\d+ tokens$/ },
  { name: 'anthropic.mjs', shows: /\S+\n\d+ tokens$/ },
  { name: 'claude-code.sh', shows: /"type":\s*"message"/ },
];

describe.each(CALLS)('$name', ({ name, shows }) => {
  test('prints an answer that is charged', async () => {
    const before = (await site.chargesOf(site.user.id)).length;
    const { stdout, stderr, exitCode } = await run(name);
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(shows);
    await site.settled();
    expect((await site.chargesOf(site.user.id)).length).toBe(before + 1);
  });
});

test('pipeline.sh reports a difference, applies the document, and then reports none', async () => {
  const before = await run('pipeline.sh', 'check');
  expect([before.exitCode, before.stderr]).toEqual([9, expect.any(String)]);
  const applied = await run('pipeline.sh', 'apply');
  expect([applied.exitCode, applied.stderr]).toEqual([0, expect.any(String)]);
  const channels = await site.as(OPERATOR).channel.list({ keyword: 'openai-main' });
  expect(channels.items.map(({ tag }) => tag)).toEqual(['managed']);
  expect((await run('pipeline.sh', 'check')).exitCode).toBe(0);
});
