/** Texts for what stands a thousand times on a page. */
import i18next, { type TFunction } from 'i18next';
import { useSurroundings } from './surroundings.ts';

/**
 * `t` as `useTranslation` gives it, for cells of tables: it follows the language and nothing else,
 * at a small part of the price. The screen around it has fetched its texts.
 */
export function useCellText(): TFunction {
  return cellTextIn(useSurroundings().language);
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

/** Looks a text up once and fills it in itself; what has a plural is i18next's to choose. */
function keepingText(language: string): TFunction {
  const raws = new Map<string, string>();
  const fixed = i18next.getFixedT(language) as (key: string, values?: Values) => string; // any key
  const text = (key: string, values?: Values): string => {
    if (values !== undefined && 'count' in values) return fixed(key, values);
    const raw = raws.get(key) ?? fixed(key, { skipInterpolation: true });
    // A text that has not come yet reads as its key.
    if (raw !== key) raws.set(key, raw);
    return values === undefined ? raw : filled(raw, values);
  };
  return text as TFunction; // called with the texts' own keys, as every `t`
}

function filled(raw: string, values: Values): string {
  return raw.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => String(values[name] ?? ''));
}
