/** Form values, validation and request bodies of tokens. */
import type * as z from 'zod/mini';
import type { NewToken, TokenEdit } from '../../../../../src/api/accounts/token.ts';
import { defaultFields, type StoredFields } from '../../../../../src/domain/nouns/columns.ts';
import { TOKEN } from '../../../../../src/domain/nouns/token.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { changedFields, sentValues } from '../../../components/forms/column-values.ts';
import { capProblems } from '../../../lib/pricing/caps.ts';
import type { Token } from '../calls.ts';

const MAX_NAME = TOKEN.name.most;
export const MAX_TOKENS = 100;
export const NEVER_EXPIRES = -1;
/** Suggested quotas in dollars. */
export const DOLLAR_PRESETS = [1, 10, 50, 100, 500, 1000] as const;
export const COUNT_PRESETS = [1, 10, 20, 30, 100] as const;

/** Seconds from now, by suffix of the text key `token.expiry.<name>`. */
export const EXPIRY_PRESETS = { hour: 3_600, day: 86_400, month: 2_592_000 } as const;

export interface TokenValues extends Omit<StoredFields<typeof TOKEN>, 'model_limits'> {
  readonly model_limits: readonly string[];
  readonly count: number;
}

export const BLANK_TOKEN: TokenValues = { ...defaultFields(TOKEN), model_limits: [], count: 1 };

export function tokenValues(token: Token): TokenValues {
  return { ...token, model_limits: splitList(token.model_limits), count: 1 };
}

/** The values for a copy of a token. A past expiry is dropped, because it would be refused. */
export function copyValues(token: Token, name: string, nowSec: number): TokenValues {
  const values = tokenValues(token);
  const isOver = values.expired_time !== NEVER_EXPIRES && values.expired_time <= nowSec;
  const remain_quota = Math.max(token.remain_quota + token.used_quota, 0);
  return {
    ...values,
    name: name.slice(0, MAX_NAME),
    ...(isOver && { expired_time: NEVER_EXPIRES }),
    remain_quota,
  };
}

/** Suffix of the text key `token.error.<problem>`. */
export type TokenProblem =
  | 'nameMissing'
  | 'nameLong'
  | 'expiryFormat'
  | 'expiryPast'
  | 'quota'
  | 'count'
  | 'models'
  | 'ips'
  | 'period'
  | 'cap'
  | 'rate';

type Problems = { readonly [F in keyof TokenValues]?: TokenProblem };

interface Situation {
  readonly nowSec: number;
  /** The initial values; an unchanged expiry is not validated. undefined for a new token. */
  readonly before?: TokenValues | undefined;
  readonly isAddress: (text: string) => boolean;
}

export function tokenProblems(values: TokenValues, { nowSec, before, isAddress }: Situation) {
  const { name, expired_time, remain_quota, unlimited_quota, count } = values;
  const isExpiryNew = expired_time !== before?.expired_time;
  const problems: Problems = {
    ...(name.trim() === '' && { name: 'nameMissing' }),
    ...([...name.trim()].length > MAX_NAME && { name: 'nameLong' }),
    ...(isExpiryNew && expiryProblem(expired_time, nowSec)),
    ...(!unlimited_quota && !isCount(remain_quota, 0) && { remain_quota: 'quota' }),
    ...(!before && !isCount(count, 1, MAX_TOKENS) && { count: 'count' }),
    ...(values.model_limits_enabled &&
      values.model_limits.length === 0 && { model_limits: 'models' }),
    ...(!addressesOf(values.allow_ips).every(isAddress) && { allow_ips: 'ips' }),
    ...(values.rate_limit_enabled && rateProblems(values)),
    ...capProblems(values),
  };
  return problems;
}

function expiryProblem(at: number, nowSec: number): Problems {
  if (at === NEVER_EXPIRES) return {};
  if (!Number.isSafeInteger(at) || at < 0) return { expired_time: 'expiryFormat' };
  return at <= nowSec ? { expired_time: 'expiryPast' } : {};
}

function rateProblems(values: TokenValues): Problems {
  const isFit = (field: 'rate_limit_period' | 'rate_limit_count' | 'rate_limit_success') =>
    isCount(values[field], TOKEN[field].least, TOKEN[field].most);
  return {
    ...(!isFit('rate_limit_period') && { rate_limit_period: 'period' }),
    ...(!isFit('rate_limit_count') && { rate_limit_count: 'rate' }),
    ...(!isFit('rate_limit_success') && { rate_limit_success: 'rate' }),
  };
}

function isCount(value: number, least: number, most = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

export function addressesOf(text: string): string[] {
  return text.split(/[\s,]+/u).filter((entry) => entry !== '');
}

type Sent = Omit<z.input<typeof NewToken>, 'user'>;

export function newToken(values: TokenValues): Sent {
  return { ...sentValues(TOKEN, values), count: values.count };
}

/**
 * Only the changed fields: an unchanged quota would restore what the token has spent since the form
 * was opened.
 */
export function tokenEdit(id: number, values: TokenValues, before: TokenValues) {
  const { count: _count, ...sent } = newToken(values);
  const { count: _old, ...kept } = newToken(before);
  return { id, ...changedFields(sent, kept) } satisfies z.input<typeof TokenEdit>;
}

const SUFFIX = '??????';

/**
 * Names of the first few tokens of a batch; the gateway generates the last six characters of all
 * but the first.
 */
export function batchNames(name: string, count: number): string[] {
  const stem = name.trim().slice(0, MAX_NAME - SUFFIX.length - 1);
  return [
    name.trim(),
    ...Array.from({ length: Math.min(count - 1, 2) }, () => `${stem}-${SUFFIX}`),
  ];
}
