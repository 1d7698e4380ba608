/** What a picture must never show, found without looking at it. */

import type { Page } from '@playwright/test';
import axe from 'axe-core';

const CHINESE = /[\u4e00-\u9fff]/;
/** Data of the seed, which is Chinese in either language. */
const CHINESE_DATA =
  /中文|语言|生产环境|王蕾|张伟|田中|通义千问|网页对话|新年礼包|期更新说明|本期新增|五十人礼包|默认分组|批量任务|你好|灯塔|赛博朋克|柴犬/;
const RAW_KEY = /\b(?:[a-z]+\.)+[a-zA-Z_]+\b/g;
const NONSENSE = /\bNaN\b|\bundefined\b|Invalid Date|\[object Object\]/;

export async function faultsOf(
  page: Page,
  language: 'zh' | 'en',
  textKeys: ReadonlySet<string>,
): Promise<string[]> {
  const texts: string[] = await page.evaluate(VISIBLE_TEXTS);
  return [
    ...(await sideways(page)),
    ...texts.filter((text) => NONSENSE.test(text)).map((text) => `nonsense: ${text}`),
    ...texts.flatMap((text) => rawKeys(text, textKeys)).map((key) => `raw key: ${key}`),
    ...(language === 'en' ? foreign(texts) : []),
    ...(await cut(page)),
    ...(await unreadable(page)),
  ];
}

/** One text per element that holds text of its own. */
const VISIBLE_TEXTS = `(() => {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!text || !parent || ['SCRIPT', 'STYLE'].includes(parent.tagName)) continue;
    if (parent.checkVisibility({ visibilityProperty: true })) found.add(text);
  }
  for (const input of document.querySelectorAll('[placeholder]')) {
    if (input.checkVisibility()) found.add(input.placeholder);
  }
  return [...found];
})()`;

async function sideways(page: Page): Promise<string[]> {
  const spare: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return spare > 0 ? [`scrolls sideways by ${spare} px`] : [];
}

function rawKeys(text: string, known: ReadonlySet<string>): string[] {
  return [...text.matchAll(RAW_KEY)].map(([key]) => key).filter((key) => known.has(key));
}

function foreign(texts: readonly string[]): string[] {
  return texts
    .filter((text) => CHINESE.test(text) && !CHINESE_DATA.test(text))
    .map((text) => `Chinese in the English console: ${text.slice(0, 60)}`);
}

/** Buttons, tags and labels whose words do not fit and have no ellipsis to say so. */
const CUT = `[...document.querySelectorAll('button, .mantine-Button-label, .mantine-Badge-label, th, label, h1, h2')]
  .filter((box) => box.checkVisibility() && box.textContent.trim() !== '')
  .filter((box) => box.clientWidth > 2)
  .filter((box) => box.scrollWidth - box.clientWidth > 2 &&
    getComputedStyle(box).overflowX === 'hidden' &&
    getComputedStyle(box).textOverflow !== 'ellipsis')
  .map((box) => box.textContent.trim().slice(0, 60))`;

/** Cells whose content reaches into the next one. */
const OVERLAPS = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.checkVisibility() && cell.textContent.trim() !== '')
  .filter((cell) => [...cell.querySelectorAll('*')].some((inner) =>
    inner.getBoundingClientRect().right - cell.getBoundingClientRect().right > 1 &&
    ![...ancestors(inner, cell)].some((box) => getComputedStyle(box).overflowX !== 'visible')))
  .map((cell) => cell.textContent.trim().slice(0, 60))`;

const ANCESTORS = `function* ancestors(inner, cell) {
  for (let box = inner.parentElement; box !== cell.parentElement; box = box.parentElement) yield box;
}`;

async function cut(page: Page): Promise<string[]> {
  const texts: string[] = await page.evaluate(CUT);
  const wide: string[] = await page.evaluate(`(() => { ${ANCESTORS} return ${OVERLAPS}; })()`);
  return [
    ...texts.map((text) => `cut off: ${text}`),
    ...wide.map((text) => `reaches into the next cell: ${text}`),
  ];
}

async function unreadable(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) =>
        'axe ' + id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`,
  );
}
