/** Texts that the gateway itself words: refusals, and sentences of the log. */
import type { Page } from '@playwright/test';
import en from '../../../src/locales/en.json' with { type: 'json' };
import zh from '../../../src/locales/zh.json' with { type: 'json' };

type Texts = { readonly [key: string]: string | Texts };
export type Language = 'en' | 'zh';

interface Patterns {
  readonly sentences: readonly RegExp[];
  /** Also what is a value in a sentence: the label of a field, a problem. */
  readonly all: readonly RegExp[];
}

const PATTERNS: Readonly<Record<Language, Patterns>> = { en: patternsIn(en), zh: patternsIn(zh) };

/** The texts of the command line and the terminal console are not for pages. */
function patternsIn({ cli: _cli, tui: _tui, ...texts }: typeof en | typeof zh): Patterns {
  const { errors, events } = texts;
  return {
    sentences: textsIn({ errors, events }).map(patternOf),
    all: textsIn(texts).map(patternOf),
  };
}

function textsIn(texts: Texts): string[] {
  return Object.values(texts).flatMap((text) =>
    typeof text === 'string' ? [text] : textsIn(text),
  );
}

/** A problem that stands alone begins with a capital letter. */
function patternOf(text: string): RegExp {
  const plain = text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${plain.replaceAll(/\{\{\w+\}\}/g, '(.+?)')}$`, 'is');
}

type IsData = (text: string) => boolean;

/** Whether this is a sentence of the gateway in this language, with values that are so too or data. */
export function isSentence(text: string, language: Language, isData: IsData): boolean {
  return fits(PATTERNS[language].sentences, text, (value) => isWorded(value, language, isData));
}

/** The same for a part of a sentence, and for several of them in a list. */
export function isWorded(text: string, language: Language, isData: IsData): boolean {
  const isPart = (part: string) => isWorded(part, language, isData);
  if (isData(text) || fits(PATTERNS[language].all, text, isPart)) return true;
  const parts = text.split(/\n|, |、| › /);
  return parts.length > 1 && parts.every(isPart);
}

function fits(patterns: readonly RegExp[], text: string, isValue: IsData): boolean {
  return patterns.some((pattern) =>
    pattern
      .exec(text)
      ?.slice(1)
      .every((value) => value !== text && isValue(value)),
  );
}

interface Reply {
  readonly success?: boolean;
  readonly message?: string;
  readonly errors?: readonly { readonly message: string }[];
}

/** The refusals that the page gets from now on; each call answers those since the last one. */
export function watchRefusals(page: Page): () => Promise<string[]> {
  const answers: Promise<Reply>[] = [];
  page.on('response', (answer) => {
    // Some refusals have status 200.
    const mayRefuse = answer.status() >= 400 || answer.request().method() !== 'GET';
    if (!mayRefuse || !answer.url().includes('/api/')) return;
    // Read at once: the body is gone when the page has been left.
    answers.push(answer.json().catch(() => ({})));
  });
  return async () => {
    const replies = await Promise.all(answers.splice(0, Number.POSITIVE_INFINITY));
    return replies.flatMap(refusalsIn);
  };
}

function refusalsIn({ success, message = '', errors = [] }: Reply): string[] {
  return success === false ? [message, ...errors.map((problem) => problem.message)] : [];
}
