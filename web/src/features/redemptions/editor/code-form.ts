/** Form values, validation and request bodies of redemption codes. */
import { MAX_CODES } from '../../../../../src/api/billing/redemption.ts';
import { REDEMPTION } from '../../../../../src/domain/nouns/redemption.ts';
import type { Redemption } from '../calls.ts';

export const MAX_NAME_LENGTH = REDEMPTION.name.most;
export const UNLIMITED = -1;
/** Suggested values in dollars. */
export const QUOTA_PRESETS = [1, 10, 50, 100, 500, 1000] as const;
const FIRST_QUOTA = 100_000;
const KEY = /^[A-Za-z0-9_-]{6,64}$/;

export interface CodeValues {
  readonly name: string;
  /** Units. */
  readonly quota: number;
  readonly count: number;
  readonly key: string;
  readonly is_gift: boolean;
  readonly max_uses: number;
  /** Epoch seconds; undefined is no limit. */
  readonly valid_from: number | undefined;
  readonly valid_until: number | undefined;
}

export const BLANK_CODE: CodeValues = {
  name: '',
  quota: FIRST_QUOTA,
  count: 1,
  key: '',
  is_gift: false,
  max_uses: UNLIMITED,
  valid_from: undefined,
  valid_until: undefined,
};

export function codeValues(code: Redemption): CodeValues {
  const { name, quota, is_gift, max_uses, valid_from, valid_until } = code;
  return {
    ...BLANK_CODE,
    name,
    quota,
    is_gift,
    max_uses,
    valid_from: valid_from || undefined,
    valid_until: valid_until || undefined,
  };
}

/** Suffix of the text key `redemption.error.<problem>`. */
export type CodeProblem =
  | 'nameMissing'
  | 'nameLong'
  | 'quota'
  | 'count'
  | 'key'
  | 'maxUses'
  | 'window';

/** @param isNew a new code may lack a name: its value is then the name. */
export function codeProblems(
  values: CodeValues,
  isNew: boolean,
): { readonly [F in keyof CodeValues]?: CodeProblem } {
  const { name, quota, count, key, is_gift, max_uses, valid_from, valid_until } = values;
  const isKeyBad = isNew && count === 1 && key.trim() !== '' && !KEY.test(key.trim());
  const isCountBad = !Number.isSafeInteger(count) || count < 1 || count > MAX_CODES;
  const isBackward =
    valid_from !== undefined && valid_until !== undefined && valid_from >= valid_until;
  return {
    ...(!isNew && name.trim() === '' && { name: 'nameMissing' }),
    ...(name.trim().length > MAX_NAME_LENGTH && { name: 'nameLong' }),
    ...((!Number.isSafeInteger(quota) || quota < 1) && { quota: 'quota' }),
    ...(isNew && isCountBad && { count: 'count' }),
    ...(isKeyBad && { key: 'key' }),
    ...(isNew && is_gift && !isUses(max_uses) && { max_uses: 'maxUses' }),
    ...(isBackward && { valid_until: 'window' }),
  };
}

function isUses(uses: number): boolean {
  return Number.isSafeInteger(uses) && (uses === UNLIMITED || uses >= 1);
}

/** @param worth the quota as text, the default name. */
export function newCodes(values: CodeValues, worth: string) {
  const { name, quota, count, key, is_gift, max_uses, valid_from = 0, valid_until = 0 } = values;
  return {
    name: name.trim() || worth.slice(0, MAX_NAME_LENGTH),
    quota,
    count,
    ...(count === 1 && key.trim() !== '' && { key: key.trim() }),
    is_gift,
    max_uses: is_gift ? max_uses : UNLIMITED,
    valid_from,
    valid_until,
  };
}

export function codeEdit(id: number, values: CodeValues) {
  const { name, quota, valid_from = 0, valid_until = 0 } = values;
  return { id, name: name.trim(), quota, valid_from, valid_until };
}
