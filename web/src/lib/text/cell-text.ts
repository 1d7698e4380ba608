/** Translations for table cells, which occur thousands of times per page. */
import i18next, { type TFunction } from 'i18next';
import { useDisplaySettings } from '../display/display-settings.ts';

/**
 * `t` as returned by `useTranslation`, for table cells: depends on the language only, at a fraction
 * of the cost. The screen must have loaded its texts.
 */
export function useCellText(): TFunction {
  return cellTextIn(useDisplaySettings().language);
}

interface Kept {
  readonly language: string;
  readonly t: TFunction;
}

let kept: Kept | undefined;

function cellTextIn(language: string): TFunction {
  if (kept?.language !== language) kept = { language, t: keepingText(language) };
  return kept.t;
}

type Values = Readonly<Record<string, unknown>>;

/** Caches each raw text and interpolates it here; i18next handles plurals. */
function keepingText(language: string): TFunction {
  const raws = new Map<string, string>();
  const fixed = i18next.getFixedT(language) as (key: string, values?: Values) => string; // any key
  const text = (key: string, values?: Values): string => {
    if (values !== undefined && 'count' in values) return fixed(key, values);
    const raw = raws.get(key) ?? fixed(key, { skipInterpolation: true });
    // A text that is not loaded yet is returned as its key.
    if (raw !== key) raws.set(key, raw);
    return values === undefined ? raw : filled(raw, values);
  };
  return text as TFunction; // called with the texts' own keys, like any `t`
}

function filled(raw: string, values: Values): string {
  return raw.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(values[name] ?? ''));
}
