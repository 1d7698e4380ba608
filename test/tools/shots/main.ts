/**
 * Pictures of every screen, into `shots/`: `npm run shots -- [family...]`, such as
 * `npm run shots -- pricing --size d --theme dark --lang en`. It prints what no picture may show as it
 * finds it, and then exits with 1.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import settings from '../../../playwright.config.ts';
import { loadConfig } from '../../../src/config.ts';
import { startServer } from '../../../src/server/serve.ts';
import { startFakeUpstream } from '../../upstream/server.ts';
import { ADMIN_SCENES } from './admin-scenes.ts';
import { DIALOG_SCENES } from './dialog-scenes.ts';
import { seed, UPSTREAM_KEY } from './seed.ts';
import { LANGUAGES, type Look, SIZES, shoot, signAllIn, type TaskSite, THEMES } from './shoot.ts';
import { USER_SCENES } from './user-scenes.ts';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

const ENVIRONMENT = {
  /** Another build of the console than `dist/web`, for who works on one. */
  GATEWAY_WEB_ROOT: process.env.GATEWAY_WEB_ROOT ?? '',
  GATEWAY_WEB_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_API_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_CRITICAL_RATE_LIMIT_ENABLED: 'false',
  GATEWAY_TASK_POLLING: 'false',
};

const ANSWER = `A gateway stands **between** your programs and the model providers:

1. programs speak one API,
2. the gateway picks a channel and counts the cost.

\`\`\`python
from openai import OpenAI
client = OpenAI(base_url="https://gateway.example.com/v1")
\`\`\``;

const { values: flags, positionals: families } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'd,m' },
    theme: { type: 'string', default: 'light,dark' },
    lang: { type: 'string', default: 'zh,en' },
    whole: { type: 'boolean', default: false },
    out: { type: 'string', default: path.join(PROJECT, 'shots') },
  },
});

async function main(): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-shots-'));
  const upstream = await startFakeUpstream({ keys: [UPSTREAM_KEY] });
  const config = loadConfig({ dataDir: folder, port: 0, logLevel: 'error' }, ENVIRONMENT);
  const serving = await startServer(config);
  const browser = await chromium.launch(settings.use?.launchOptions ?? {});
  try {
    upstream.setDefault({ text: ANSWER, chunkDelayMs: 12 });
    await seed(serving.booted, upstream.url, serving.url);
    const taskSite = {
      browser,
      url: serving.url,
      folder: flags.out,
      isWhole: flags.whole,
      textKeys: await textKeys(),
      sessions: await signAllIn(browser, serving.url),
    };
    return (await shootAll(taskSite)) === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await serving.stop();
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers how many faults there are. */
async function shootAll(taskSite: TaskSite): Promise<number> {
  const wanted = [...USER_SCENES, ...ADMIN_SCENES, ...DIALOG_SCENES].filter(
    ({ name }) => families.length === 0 || families.some((family) => name.startsWith(family)),
  );
  let count = 0;
  for (const look of looks())
    for (const scene of wanted) {
      if (scene.isWide && look.size === 'm') continue;
      const faults = await shoot(taskSite, scene, look);
      for (const fault of faults) process.stdout.write(`${fault}\n`);
      count += faults.length;
    }
  return count;
}

function looks(): Look[] {
  const sizes = chosen(flags.size, Object.keys(SIZES) as Look['size'][]); // an object literal's own keys
  return sizes.flatMap((size) =>
    chosen(flags.theme, THEMES).flatMap((theme) =>
      chosen(flags.lang, LANGUAGES).map((language): Look => ({ size, theme, language })),
    ),
  );
}

function chosen<T extends string>(text: string, all: readonly T[]): T[] {
  const words = text.split(',');
  return all.filter((one) => words.includes(one));
}

async function textKeys(): Promise<ReadonlySet<string>> {
  const folder = path.join(PROJECT, 'web/src/locales/en');
  const files = await readdir(folder);
  const keys = files.map(async (file) =>
    Object.keys(JSON.parse(await readFile(path.join(folder, file), 'utf8'))),
  );
  return new Set((await Promise.all(keys)).flat());
}

process.exitCode = await main();
