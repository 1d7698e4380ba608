/** The languages of the texts, and which of them a reader gets. */

export const LANGUAGES = ['zh', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value);
}

/** What is known of a reader, in the order in which it counts. */
export interface LanguageChoice {
  /** Chosen in the account. */
  readonly account?: Language | undefined;
  /** The client's, see `acceptedLanguage`. */
  readonly accepted?: Language | undefined;
  /** Option `DefaultLanguage`. */
  readonly site: Language;
}

/** For the management API, mails, notifications and texts of payments. */
export function readerLanguage({ account, accepted, site }: LanguageChoice): Language {
  return account ?? accepted ?? site;
}

/**
 * The language of ours that an `Accept-Language` header prefers (RFC 9110 12.5.4); undefined if it
 * names none, as `*` does. The model API answers in it, otherwise in English.
 */
export function acceptedLanguage(header: string): Language | undefined {
  let best: { language: Language; weight: number } | undefined;
  for (const part of header.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';');
    const language = range.trim().split('-')[0];
    const weight = weightIn(parameters);
    if (isLanguage(language) && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language;
}

function weightIn(parameters: readonly string[]): number {
  const weight = parameters
    .find((each) => each.trim().startsWith('q='))
    ?.trim()
    .slice(2);
  return weight === undefined ? 1 : Number(weight) || 0;
}
