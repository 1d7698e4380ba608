/**
 * The registry of all options, and their effective values. A key without a row here cannot be read,
 * saved or listed.
 */

import { AppError } from '../errors/errors.ts';
import { similarNames } from '../text/similar-names.ts';
import { optionProblemText, type ProblemReason } from './problems.ts';
import { readOptionText } from './read.ts';
import type { OptionGroup, OptionRow, OptionRows, ValueOf } from './row.ts';
import { accountOptions } from './rows/accounts.ts';
import { drawingOptions } from './rows/drawing.ts';
import { loggingOptions } from './rows/logging.ts';
import { mailOptions } from './rows/mail.ts';
import { modelOptions } from './rows/models.ts';
import { modeOptions } from './rows/modes.ts';
import { monitoringOptions } from './rows/monitoring.ts';
import { networkOptions } from './rows/network.ts';
import { paymentOptions } from './rows/payment.ts';
import { presentationOptions } from './rows/presentation.ts';
import { pricingOptions } from './rows/pricing.ts';
import { quotaOptions } from './rows/quota.ts';
import { rateLimitOptions } from './rows/rate-limit.ts';
import { relayOptions } from './rows/relay.ts';
import { sensitiveOptions } from './rows/sensitive.ts';
import { signInOptions } from './rows/sign-in.ts';

type Grouped<R> = { readonly [K in keyof R]: R[K] & { readonly group: OptionGroup } };

function inGroup<R extends OptionRows>(group: OptionGroup, rows: R): Grouped<R> {
  const grouped = Object.entries(rows).map(([key, row]) => [key, { ...row, group }]);
  return Object.fromEntries(grouped) as Grouped<R>; // the same keys and rows
}

export const OPTIONS = {
  ...inGroup('accounts', accountOptions),
  ...inGroup('mail', mailOptions),
  ...inGroup('sign-in', signInOptions),
  ...inGroup('presentation', presentationOptions),
  ...inGroup('network', networkOptions),
  ...inGroup('payment', paymentOptions),
  ...inGroup('quota', quotaOptions),
  ...inGroup('pricing', pricingOptions),
  ...inGroup('rate-limit', rateLimitOptions),
  ...inGroup('relay', relayOptions),
  ...inGroup('models', modelOptions),
  ...inGroup('monitoring', monitoringOptions),
  ...inGroup('logging', loggingOptions),
  ...inGroup('sensitive', sensitiveOptions),
  ...inGroup('drawing', drawingOptions),
  ...inGroup('modes', modeOptions),
} as const;

export type OptionKey = keyof typeof OPTIONS;

/** The value type of an option, e.g. `OptionValue<'RetryTimes'>` is `number`. */
export type OptionValue<K extends OptionKey> = ValueOf<(typeof OPTIONS)[K]>;

/** The error for a name that no option has, with those that look like it. */
export function unknownOption(key: string): AppError {
  const similar = similarNames(key, OPTION_KEYS);
  return new AppError('option_unknown', { key, similar }, { param: key });
}

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

/** All keys, in registry order. */
export const OPTION_KEYS: readonly OptionKey[] = Object.keys(OPTIONS).filter(isOptionKey);

/** The row as the common type, for code that treats all options alike. */
export function optionRowOf(key: OptionKey): OptionRow {
  return OPTIONS[key];
}

/** Whether a role may see the option in the list and save it; guests never may. */
export function mayUseOption(role: number, key: OptionKey): boolean {
  return role >= optionRowOf(key).role;
}

export interface StoredProblem {
  readonly key: OptionKey;
  readonly reason: ProblemReason;
  /** English; does not contain the value. */
  readonly problem: string;
}

/** Defaults of this process, in place of those of the registry. */
export type OptionDefaults = Readonly<Partial<Record<OptionKey, string>>>;

/**
 * An immutable snapshot: after a save, create a new one. Each value is parsed once, on first use; a
 * stored text that does not parse yields the default, so reading never throws.
 */
export class OptionValues {
  readonly #stored: ReadonlyMap<string, string>;
  readonly #defaults: OptionDefaults;
  readonly #values = new Map<OptionKey, unknown>();

  /** `stored`: key to text as in the table `options`, secrets in plain text. */
  constructor(stored: ReadonlyMap<string, string> = new Map(), defaults: OptionDefaults = {}) {
    this.#stored = stored;
    this.#defaults = defaults;
  }

  /** The same with other stored texts. */
  with(changed: Iterable<readonly [string, string]>): OptionValues {
    return new OptionValues(new Map([...this.#stored, ...changed]), this.#defaults);
  }

  get<K extends OptionKey>(key: K): OptionValue<K> {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = this.#read(key);
      this.#values.set(key, value);
    }
    // Parsed by the key's own row; the compiler cannot follow that through the table.
    return value as OptionValue<K>;
  }

  /** The effective text: stored, else the default; empty for an unknown key. */
  raw(key: string): string {
    return this.#stored.get(key) ?? (isOptionKey(key) ? this.default(key) : '');
  }

  /** The text that applies while none is stored. */
  default(key: OptionKey): string {
    return this.#defaults[key] ?? optionRowOf(key).fallback;
  }

  stored(): ReadonlyMap<string, string> {
    return this.#stored;
  }

  /** Stored values that are ignored because they no longer parse, for the log. */
  problems(): StoredProblem[] {
    return [...this.#stored].flatMap(([key, text]) => {
      if (!isOptionKey(key)) return [];
      const reading = readOptionText(optionRowOf(key), text);
      if (!('problem' in reading)) return [];
      return [{ key, reason: reading.problem.reason, problem: optionProblemText(reading.problem) }];
    });
  }

  #read(key: OptionKey): unknown {
    const row = optionRowOf(key);
    const reading = readOptionText(row, this.raw(key));
    if (!('problem' in reading)) return reading.value;
    const fallback = readOptionText(row, row.fallback);
    if ('problem' in fallback) throw new TypeError(`the default of option ${key} does not parse`);
    return fallback.value;
  }
}
