/**
 * Every sentence the server, the command line and the terminal console show, in every language.
 * One i18next instance, made at the first text.
 */
import { createInstance, type i18n } from 'i18next';
import type { AppError } from '../domain/errors/errors.ts';
import type { Language } from '../domain/languages.ts';
import { memoizePerObject } from '../domain/memoize-per-object.ts';
import { numberText } from '../domain/text/number-text.ts';
import en from './en.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

export type { Language };
export type TextParams = Readonly<Record<string, string | number | readonly string[]>>;
/** Lists are joined as the language does: `a, b`, in Chinese `a、b`. */
export type Translate = (key: string, params?: TextParams) => string;

let instance: i18n | undefined;

function texts(): i18n {
  if (instance !== undefined) return instance;
  instance = createInstance();
  void instance.init({
    resources: { en: { translation: en }, zh: { translation: zh } } satisfies Record<
      Language,
      object
    >,
    lng: 'en',
    fallbackLng: 'en',
    nsSeparator: false,
    // With resources at hand the instance is ready when `init` returns.
    initAsync: false,
    // Nothing is escaped, as no text ends up in HTML.
    interpolation: { escapeValue: true, useRawValueToEscape: true, escape: shownValue },
    // A text that names a parameter the thrower forgot still reads as a sentence.
    missingInterpolationHandler: () => '?',
  });
  return instance;
}

/** Counts are the only numbers here, see `translator`. */
function shownValue(value: unknown): string {
  return Number.isInteger(value) ? numberText(Number(value)) : String(value);
}

/** The texts of one language. A key without text comes back as the key itself. */
export function translator(language: Language): Translate {
  translators[language] ??= newTranslator(language);
  return translators[language];
}

const translators: Partial<Record<Language, Translate>> = {};

function newTranslator(language: Language): Translate {
  const translate = texts().getFixedT(language);
  return (key, params = {}) =>
    translate(
      key,
      Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, shownParam(name, value, translate)]),
      ),
    );
}

/** A count stays a number, which selects the plural and is grouped; ids are numbers too. */
function shownParam(name: string, value: TextParams[string], t: (key: string) => string) {
  if (typeof value === 'object') return listText(value, t);
  return typeof value === 'number' && name !== 'count' ? String(value) : value;
}

/** `a, b`, in Chinese `a、b`. */
export function listText(values: readonly string[], t: (key: string) => string): string {
  return values.join(t('list_separator'));
}

/** The error and what to do about it, on one line. */
export function adviceText(error: AppError, language: Language): string {
  const texts = [errorText(error, language), hintText(error, language)].filter(Boolean);
  return texts.join(translator(language)('sentence_separator'));
}

/** Whether a text stands under `key`, in the language itself. */
export function hasText(key: string, language: Language): boolean {
  return texts().exists(key, { lng: language, fallbackLng: [] });
}

/** The sentences of errors; one that refuses many calls is worded once. */
const sentencesOf = memoizePerObject((_error: AppError) => new Map<Language, string>());

/** The error as a sentence for the caller. */
export function errorText(error: AppError, language: Language = 'en'): string {
  const sentences = sentencesOf(error);
  const known = sentences.get(language);
  if (known !== undefined) return known;
  const sentence = worded(error, language);
  sentences.set(language, sentence);
  return sentence;
}

function worded(error: AppError, language: Language): string {
  const t = translator(language);
  const text = t(`errors.${error.code}`, { ...error.params, ...wordedParams(error, t) });
  const { place } = error.params;
  const sentence = text + suggestionText(error, t);
  return place === undefined
    ? sentence
    : t('located_error', { place: String(place), text: sentence });
}

/** The names that look like an unknown one. */
function suggestionText({ params: { similar } }: AppError, t: Translate): string {
  if (!Array.isArray(similar) || similar.length === 0) return '';
  return (
    t('sentence_separator') +
    t('cli.usage.suggestion', { suggestion: similar.join(t('cli.usage.or')) })
  );
}

/** The sentences of all wrong fields, one per line. */
export function allProblemsText(error: AppError, language: Language = 'en'): string {
  if (error.problems.length < 2) return errorText(error, language);
  return error.problems.map((problem) => errorText(problem, language)).join('\n');
}

/** What is wrong with one field, without the field's name: "Must not be empty". */
export function problemText(error: AppError, language: Language = 'en'): string {
  const { problem } = wordedParams(error, translator(language));
  if (problem === undefined) return errorText(error, language);
  const text = String(problem);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * What is wrong with a value is a text of its own, by the reason; an input and an identity provider
 * are named by their label.
 */
function wordedParams({ code, params }: AppError, t: Translate): TextParams {
  const { field, reason, shape_name, location, provider } = params;
  const named: TextParams =
    provider === undefined ? {} : { provider: identityProviderName(String(provider), t) };
  if (code === 'option_invalid' && reason !== undefined) {
    const shape: TextParams =
      shape_name === undefined ? {} : { shape: t(`option_shapes.${shape_name}`) };
    return { problem: t(`option_problems.${reason}`, { ...params, ...shape }) };
  }
  if (code === 'budget_exhausted' || code === 'budget_busy') return budgetWords(params, t);
  if (code === 'already_running') return { work: t(`exclusive_work.${params.work}`) };
  const table = PROBLEM_TABLES[code];
  if (table !== undefined && reason !== undefined)
    return { problem: t(`${table}.${reason}`, params) };
  if (!NAMES_INPUT.has(code)) return named;
  return {
    ...named,
    ...(reason !== undefined && { problem: t(`error_reasons.${reason}`, params) }),
    ...(field !== undefined && { field: location ?? fieldLabel(String(field), t) }),
  };
}

/** A budget by its kind of subject and its period. */
function budgetWords({ subject, window }: TextParams, t: Translate): TextParams {
  return { subject: t(`budget_subjects.${subject}`), window: t(`budget_periods.${window}`) };
}

/** Where the texts of the reasons of an error are. */
const PROBLEM_TABLES: Readonly<Partial<Record<string, string>>> = {
  field_wrong: 'field_problems',
  channel_unusable: 'channel_problems',
  provider_retired: 'retired_types',
};

/** Their `field` is a path in the input of a management call. */
export const NAMES_INPUT: ReadonlySet<string> = new Set([
  'input_invalid',
  'config_invalid',
  'mail_failed',
  'fetch_failed',
  'fetch_refused',
  'discovery_failed',
  'oauth_failed',
  'channel_key_masked',
  'channel_key_ambiguous',
]);

/** `channels.0.name` is the name of the first of the channels; parts without a label stay as they are. */
export function fieldLabel(path: string, t: Translate): string {
  return path
    .split('.')
    .map((part) => {
      if (/^\d+$/.test(part)) return `#${Number(part) + 1}`;
      const key = `input_fields.${part}`;
      const label = t(key);
      return label === key ? part : label;
    })
    .join(' › ');
}

/** `wechat` is WeChat; what is no id stays as it is. */
export function identityProviderName(provider: string, t: Translate): string {
  const key = `identity_providers.${provider}`;
  const name = t(key);
  return name === key ? provider : name;
}

/** What the caller can do about it; `undefined` when there is nothing to say. */
export function hintText(error: AppError, language: Language = 'en'): string | undefined {
  const key = `hints.${error.code}`;
  return hasText(key, language) ? translator(language)(key, error.params) : undefined;
}
