/** A console whose texts are marked, so that a walk finds words that are not in the locale files. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { CHANNEL_TYPES } from '../../../src/domain/channels/channel-types.ts';
import { JOB_NAMES } from '../../../src/domain/jobs.ts';
import { OPTION_KEYS } from '../../../src/domain/options/registry.ts';
import { optionSummary } from '../../../src/domain/options/summary.ts';
import { beforeScripts } from './browser.ts';
import { isSentence, isWorded, type Language } from './server-texts.ts';

const LOCALES = new URL('../../../web/src/locales/', import.meta.url);

const keys = readdirSync(new URL('zh/', LOCALES)).flatMap((file) =>
  Object.keys(JSON.parse(readFileSync(new URL(`zh/${file}`, LOCALES), 'utf8'))),
);
const known = new Set(keys);

/** A text in a built file of the console: in the files of the locales, and in the core bundle. */
const TEXT = /"([\w.]+)":`((?:\\.|[^\\`])*)`/g;

/** Built files with marked texts, by address. */
const markedFiles = new Map<string, Promise<string>>();

export async function markTexts(page: Page): Promise<void> {
  await page.route('**/assets/*.js', async (route) => {
    const url = route.request().url();
    const file =
      markedFiles.get(url) ?? route.fetch().then(async (answer) => marked(await answer.text()));
    markedFiles.set(url, file);
    await route.fulfill({ contentType: 'text/javascript', body: await file });
  });
}

function marked(script: string): string {
  return script.replaceAll(TEXT, (pair, key: string, text: string) =>
    isKey(key) ? `"${key}":\`⟦${text}⟧\`` : pair,
  );
}

function isKey(text: string): boolean {
  return known.has(text.replace(/_one$/, ''));
}

/** Records every key that is painted at any time, however short. */
export async function watchKeys(page: Page): Promise<void> {
  await beforeScripts(
    page,
    `{
      const known = new Set(${JSON.stringify(keys)});
      window.paintedKeys = [];
      const look = (node) => {
        const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        for (let one = node; one !== null; one = walker.nextNode()) {
          const text = one.data?.trim();
          if (known.has(text)) paintedKeys.push(text);
        }
      };
      new MutationObserver((changes) => {
        const changed = changes.flatMap(({ type, target, addedNodes }) =>
          type === 'characterData' ? [target] : [...addedNodes]);
        for (const node of new Set(changed)) if (node.isConnected) look(node);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    }`,
  );
}

export async function expectNoKeys(page: Page): Promise<void> {
  expect(await page.evaluate<string[]>('paintedKeys')).toEqual([]);
}

/** The visible texts of each block of the page, and what is spoken or shown as a hint. */
const VISIBLE = `(() => {
  const inline = new Set('SPAN,B,STRONG,EM,I,A,SMALL,BDI,MARK,FIGURE'.split(','));
  const skipped = 'script, style, code, pre, kbd, time, svg, textarea, select, [data-private]';
  const blocks = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    let block = text.parentElement;
    if (block.closest(skipped) || !block.checkVisibility({ visibilityProperty: true })) continue;
    while (inline.has(block.tagName)) block = block.parentElement;
    blocks.set(block, (blocks.get(block) ?? '') + text.data);
  }
  const spoken = [...document.querySelectorAll('[aria-label], [placeholder], [title]')]
    .filter((one) => one.checkVisibility())
    .flatMap((one) => ['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? ''));
  return [...blocks.values(), ...spoken];
})()`;

/** Words that are the same in every language: names, and the data of this walk. */
const NAMES = [
  ...Object.values(CHANNEL_TYPES).map(({ name }) => name),
  ...['AI Model Gateway', 'English', '中文', 'Root User', 'root', 'default', 'svip', 'vip', 'UTC'],
  ...['Markdown', 'HTML'],
  ...['Default', 'VIP', 'Qwen', 'Azure', 'Bedrock', 'SQLite', '/v1/messages', 'Chrome', 'Linux'],
  // Programs that use a token, a platform of tasks, and a field of the API.
  ...[
    'curl',
    // The program of a session that the walk opened.
    'node',
    'Python',
    'Node.js',
    'Claude Code',
    'Codex',
    'Gemini CLI',
    'opencode',
    'Qwen Code',
    'aider',
    'goose',
    '.env',
    'suno',
  ],
  'original_password',
  // Jobs, options and their values on the page of settings; units of time.
  ...[...JOB_NAMES, ...OPTION_KEYS, 'true', 'false', 'min'],
  // Of the library of text fields that grow, hidden from readers.
  'autosize measurement',
].sort((one, other) => other.length - one.length);

/** Addresses, names of browsers, keys (also shortened ones) and models. */
const IDENTIFIER = /\w+•+\w+|\w+:\/\/\S+|[\w-]+\.com|Mozilla\/.*|[\w.]+(?:-[\w.•]+)+/g;
/** The value of an option. */
const JSON_TEXT = /^[[{]/;

/** What the page shows outside of the markers and of what is data. */
export async function unmarkedTexts(
  page: Page,
  language: Language,
  refusals: readonly string[],
): Promise<string[]> {
  const summaries = new Set(OPTION_KEYS.map((key) => optionSummary(key, language)));
  const texts = await page.evaluate<string[]>(VISIBLE);
  const outside = texts
    .map(withoutMarked)
    .filter((text) => !summaries.has(text) && !JSON_TEXT.test(text))
    .filter((text) => !refusals.includes(text) && !isSentence(text, language, isData))
    .filter((text) => !isData(text));
  return [...new Set(outside)];
}

/** The refusals that are not worded in this language. */
export function foreignRefusals(refusals: readonly string[], language: Language): string[] {
  return refusals.filter((text) => !isWorded(text, language, isData));
}

function isData(text: string): boolean {
  return !/\p{L}{3,}|\p{Script=Han}/u.test(withoutNames(text));
}

/** An interpolated value may have markers of its own. */
function withoutMarked(text: string): string {
  const inner = text.replaceAll(/⟦[^⟦⟧]*⟧/g, ' ');
  return inner === text ? text.trim() : withoutMarked(inner);
}

function withoutNames(text: string): string {
  const plain = text.replaceAll(IDENTIFIER, '');
  return NAMES.reduce((rest, name) => rest.replaceAll(name, ''), plain).trim();
}
