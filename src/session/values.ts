/** Parses the values of command-line flags; a flag that was not given stays undefined. */
import { readFileSync } from 'node:fs';
import { AppError } from '../domain/errors/errors.ts';
import { unitsOfUsd } from '../domain/pricing/quota-text.ts';
import { statusNumber } from '../domain/statuses.ts';
import { similarNames } from '../domain/text/similar-names.ts';
import type { TextParams, Translate } from '../locales/text.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/;

interface Rate {
  readonly count: number;
  readonly periodSec: number;
}

interface Amount {
  readonly quota?: string;
  readonly usd?: string;
}

export class Values {
  readonly #t: Translate;
  readonly #nowMs: () => number;

  constructor(t: Translate, nowMs: () => number = Date.now) {
    this.#t = t;
    this.#nowMs = nowMs;
  }

  /** Creates the error for the value of `name`; `problem` is a key under `cli.problems`. */
  refuse(name: string, problem: string, params: TextParams = {}): AppError {
    const text = this.#t(`cli.problems.${problem}`, params);
    return new AppError('argument_invalid', { name, problem: text }, { param: name });
  }

  wholeNumber(name: string, text: string): number;
  wholeNumber(name: string, text: string | undefined): number | undefined;
  wholeNumber(name: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const number = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(number))
      throw this.refuse(name, 'whole_number');
    return number;
  }

  decimal(name: string, text: string): number;
  decimal(name: string, text: string | undefined): number | undefined;
  decimal(name: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const number = Number(text);
    if (text.trim() === '' || !Number.isFinite(number)) throw this.refuse(name, 'number');
    return number;
  }

  choice<T extends string>(name: string, text: string, choices: readonly T[]): T;
  choice<T extends string>(
    name: string,
    text: string | undefined,
    choices: readonly T[],
  ): T | undefined;
  choice<T extends string>(
    name: string,
    text: string | undefined,
    choices: readonly T[],
  ): T | undefined {
    if (text === undefined) return undefined;
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw this.notAmong(name, text, choices);
    return chosen;
  }

  /** The error for a word that is none of `choices`, with those that look like it. */
  notAmong(name: string, text: string, choices: readonly string[], problem = 'choice'): AppError {
    const problemText = this.#t(`cli.problems.${problem}`, { text, choices });
    const suggestion = similarNames(text, choices).join(this.#t('cli.usage.or'));
    if (suggestion === '') return this.refuse(name, problem, { text, choices });
    return this.refuse(name, 'near', { problem: problemText, suggestion });
  }

  /** A key of `table`, or its number. */
  word(name: string, text: string, table: Readonly<Record<string, number>>): number {
    const number = statusNumber(table, text);
    if (number === undefined) {
      throw this.notAmong(name, text, Object.keys(table));
    }
    return number;
  }

  /** `500ms`, `60s`, `2m`, `1h`, `7d`, `2w`; a bare number is seconds. Returns milliseconds. */
  duration(name: string, text: string): number;
  duration(name: string, text: string | undefined): number | undefined;
  duration(name: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const parts = DURATION.exec(/^\d+$/.test(text) ? `${text}s` : text);
    const unitMs = UNIT_MS[parts?.[2] ?? ''];
    if (parts === null || unitMs === undefined) throw this.refuse(name, 'duration');
    return Number(parts[1]) * unitMs;
  }

  /** A future time in epoch seconds: `never` (-1), `30d`, a date (its last second) or a time. */
  expiry(name: string, text: string): number;
  expiry(name: string, text: string | undefined): number | undefined;
  expiry(name: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    if (text === 'never') return -1;
    if (DURATION.test(text)) return Math.floor((this.#nowMs() + this.duration(name, text)) / 1000);
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return this.#moment(name, `${text}T23:59:59`);
    return this.#moment(name, text);
  }

  /** A past time in epoch seconds: `15m` ago, a date (its first second) or a time. */
  since(name: string, text: string): number;
  since(name: string, text: string | undefined): number | undefined;
  since(name: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    if (DURATION.test(text)) return Math.floor((this.#nowMs() - this.duration(name, text)) / 1000);
    return this.#moment(name, /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  }

  #moment(name: string, text: string): number {
    if (/^\d{9,11}$/.test(text)) return Number(text);
    const timeMs = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(timeMs)) throw this.refuse(name, 'time');
    return Math.floor(timeMs / 1000);
  }

  /** Quota units from `--quota` or `--usd`, not negative; `undefined` when neither was given. */
  units(amount: Amount, quotaPerUnit: number): number | undefined {
    const units = this.signedUnits(amount, quotaPerUnit);
    if (units !== undefined && units < 0)
      throw this.refuse(amount.usd === undefined ? '--quota' : '--usd', 'negative');
    return units;
  }

  /** The same for a change of a balance, which may be negative. */
  signedUnits({ quota, usd }: Amount, quotaPerUnit: number): number | undefined {
    if (quota !== undefined && usd !== undefined)
      throw this.refuse('--usd', 'not_both', { other: '--quota' });
    if (usd === undefined) return this.wholeNumber('--quota', quota);
    return this.#signedDollars('--usd', usd, quotaPerUnit);
  }

  /** Quota units from dollars, not negative. */
  dollars(name: string, text: string, quotaPerUnit: number): number {
    const units = this.#signedDollars(name, text, quotaPerUnit);
    if (units < 0) throw this.refuse(name, 'negative');
    return units;
  }

  #signedDollars(name: string, text: string, quotaPerUnit: number): number {
    const units = unitsOfUsd(text, quotaPerUnit);
    if (units === undefined) throw this.refuse(name, 'usd');
    return units;
  }

  /** `60/1m`: calls per period. */
  rate(name: string, text: string): Rate;
  rate(name: string, text: string | undefined): Rate | undefined;
  rate(name: string, text: string | undefined): Rate | undefined {
    if (text === undefined) return undefined;
    const [count, period, ...rest] = text.split('/');
    if (count === undefined || period === undefined || rest.length > 0)
      throw this.refuse(name, 'rate');
    const periodMs = this.duration(name, /^[a-z]+$/.test(period) ? `1${period}` : period);
    return {
      count: this.wholeNumber(name, count),
      periodSec: Math.max(1, Math.round(periodMs / 1000)),
    };
  }

  /** Items of a comma-separated list, trimmed, without empty ones. */
  list(text: string): string[];
  list(text: string | undefined): string[] | undefined;
  list(text: string | undefined): string[] | undefined {
    const parts = text?.split(',').map((part) => part.trim());
    return parts?.filter((part) => part !== '');
  }

  /** JSON text: inline, or from a file (`@file`, or a bare file name). */
  json(name: string, text: string): string;
  json(name: string, text: string | undefined): string | undefined;
  json(name: string, text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const isTyped = /^\s*[[{]/.test(text) || text === '';
    const json = isTyped ? text : this.file(name, text.replace(/^@/, ''));
    try {
      if (json.trim() !== '') JSON.parse(json);
    } catch {
      throw this.refuse(name, 'json');
    }
    return json;
  }

  /** A text file's content without the trailing line break. */
  file(name: string, path: string): string {
    try {
      return withoutLastLineBreak(readFileSync(path, 'utf8'));
    } catch {
      throw this.refuse(name, 'file', { path });
    }
  }
}

export function withoutLastLineBreak(text: string): string {
  return text.replace(/\r?\n$/, '');
}
