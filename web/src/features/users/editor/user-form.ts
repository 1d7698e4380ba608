/** Form values, validation and request bodies of users. */
import {
  defaultFields,
  pickColumns,
  type StoredFields,
} from '../../../../../src/domain/nouns/columns.ts';
import { type IdentityColumn, USER } from '../../../../../src/domain/nouns/user.ts';
import { changedFields, sentValues } from '../../../components/forms/column-values.ts';
import { capProblems } from '../../../lib/pricing/caps.ts';
import type { User } from '../calls.ts';

const MIN_PASSWORD = 8;
const MAX_PASSWORD = 256;

/** Suffix of the text key `user.error.<problem>`. */
export type UserProblem = 'required' | 'name' | 'displayName' | 'password' | 'quota' | 'cap';
export type UserProblems<V> = { readonly [F in keyof V]?: UserProblem };

export interface NewUserValues {
  readonly username: string;
  readonly display_name: string;
  readonly password: string;
}

export const BLANK_USER: NewUserValues = { username: '', display_name: '', password: '' };

export function newUserProblems({
  username,
  display_name,
  password,
}: NewUserValues): UserProblems<NewUserValues> {
  return {
    ...(username.trim() === '' ? { username: 'required' } : nameProblem(username)),
    ...displayNameProblem(display_name),
    ...(password === '' ? { password: 'required' } : passwordProblem(password)),
  };
}

export function newUserInput({ username, display_name, password }: NewUserValues) {
  return { username: username.trim(), display_name: display_name.trim(), password };
}

export interface UserValues extends StoredFields<typeof EDITED> {
  /** Blank keeps the current one. */
  readonly password: string;
  /** Units. */
  readonly quota: number;
  /** The part of the change of `quota` made by adding or subtracting, not by typing a total. */
  readonly adjusted: number;
  /** Identities to unbind. */
  readonly cleared: readonly IdentityColumn[];
}

/** Administrators do not edit the address. */
const { email: _, ...EDITED } = USER;

const UNTOUCHED = { password: '', quota: 0, adjusted: 0, cleared: [] } as const;

export const BLANK_USER_VALUES: UserValues = { ...defaultFields(EDITED), ...UNTOUCHED };

export function userValues(user: User): UserValues {
  return { ...pickColumns(EDITED, user), ...UNTOUCHED, quota: user.quota };
}

/** An existing name may violate today's rules as long as it is unchanged. */
export function userProblems(values: UserValues, before: UserValues): UserProblems<UserValues> {
  const { username, display_name, password, quota } = values;
  return {
    ...(username !== before.username && nameProblem(username)),
    ...(display_name !== before.display_name && displayNameProblem(display_name)),
    ...(password !== '' && passwordProblem(password)),
    ...(!Number.isSafeInteger(quota) && { quota: 'quota' }),
    ...capProblems(values),
  };
}

/**
 * The request: changed fields, and the change of the balance. An added amount is sent as such,
 * because an absolute total would restore what the user spends meanwhile.
 * @param before the values the form was opened with, not newer ones: compared with those, an
 * unchanged balance would look like a new total.
 */
export function userChange(id: number, values: UserValues, before: UserValues) {
  const { password, quota, adjusted, cleared } = values;
  const isTyped = quota !== before.quota && quota - before.quota !== adjusted;
  return {
    edit: {
      id,
      ...changedFields(sentValues(EDITED, values), sentValues(EDITED, before)),
      ...(password !== '' && { password }),
      ...(isTyped && { quota: Math.trunc(quota) }),
      ...Object.fromEntries(cleared.map((column) => [column, ''])),
    },
    added: isTyped || quota === before.quota ? 0 : adjusted,
  };
}

export interface SelfValues {
  readonly username: string;
  readonly display_name: string;
  readonly password: string;
}

export function selfProblems(
  values: SelfValues,
  before: { readonly username: string },
): UserProblems<SelfValues> {
  const { username, display_name, password } = values;
  return {
    ...(username !== before.username && nameProblem(username)),
    ...displayNameProblem(display_name),
    ...(password !== '' && passwordProblem(password)),
  };
}

export function selfInput({ username, display_name, password }: SelfValues) {
  return {
    username: username.trim(),
    display_name: display_name.trim(),
    ...(password !== '' && { password }),
  };
}

function nameProblem(name: string): { username?: UserProblem } {
  const trimmed = name.trim();
  const isFit =
    trimmed !== '' && trimmed.length <= USER.username.most && !/[\s\p{C}]/u.test(trimmed);
  return isFit ? {} : { username: 'name' };
}

function displayNameProblem(name: string): { display_name?: UserProblem } {
  return name.trim().length > USER.display_name.most ? { display_name: 'displayName' } : {};
}

function passwordProblem({ length }: string): { password?: UserProblem } {
  return length < MIN_PASSWORD || length > MAX_PASSWORD ? { password: 'password' } : {};
}
