/**
 * Options: validated before they are written, sealed when they are secrets, announced to every
 * process in the same transaction. Only what differs from its default has a row.
 */
import type { Actor, Service } from '../api/call.ts';
import type { optionCalls } from '../api/option.ts';
import type { Context } from '../context.ts';
import { AppError } from '../domain/errors.ts';
import {
  keepsSecret,
  type OptionChange,
  type ParsedOption,
  parseOption,
  parseOptions,
} from '../domain/options/parse.ts';
import {
  isOptionKey,
  mayUseOption,
  OPTION_KEYS,
  type OptionKey,
  OptionValues,
  rowOf,
} from '../domain/options/registry.ts';

import { announceChange } from '../store/changes.ts';
import { dropOption, putOption, storedOptions } from '../store/options.ts';
import { note, roleOf } from './audit.ts';
import { type TxContext, writing } from './writing.ts';

type Calls = Service<typeof optionCalls, Context>;

/**
 * The options as they are stored now, secrets opened.
 * @throws AppError `secret_key_wrong` when a secret was sealed with another key.
 */
export async function loadOptions(
  source: Pick<Context, 'reads' | 'secrets'>,
): Promise<OptionValues> {
  const stored = await storedOptions(source.reads);
  for (const [key, value] of stored)
    if (isSecret(key) && value !== '') stored.set(key, source.secrets.decrypt(value));
  return new OptionValues(stored);
}

export const list: Calls['list'] = async (ctx, actor, input) => {
  const options = await loadOptions(ctx);
  return OPTION_KEYS.filter((key) => mayUseOption(roleOf(actor), key) && !isSecret(key))
    .filter((key) => key.startsWith(input.prefix ?? ''))
    .map((key) => entryOf(options, key))
    .filter((entry) => !input.changed || entry.changed);
};

export const get: Calls['get'] = async (ctx, actor, input) => {
  const key = usableKey(actor, input.key);
  const options = await loadOptions(ctx);
  const entry = entryOf(options, key);
  const is_set = options.raw(key) !== '';
  return isSecret(key)
    ? { ...entry, value: '', secret: true, is_set }
    : { ...entry, secret: false, is_set };
};

export const set: Calls['set'] = async (ctx, actor, input) => {
  usableKey(actor, input.key);
  if (keepsSecret(input.key, input.value)) return;
  await changeOptions(ctx, actor, async () => [input]);
};

export const unset: Calls['unset'] = async (ctx, actor, input) => {
  const key = usableKey(actor, input.key);
  await changeOptions(ctx, actor, async () => [{ key, value: rowOf(key).fallback }]);
};

export const resetModelRatio: Calls['resetModelRatio'] = (ctx, actor) =>
  unset(ctx, actor, { key: 'ModelRatio' });

/**
 * Saves what `changesOf` makes of the options as they stand, all or nothing. Nobody else changes an
 * option in between, so it may build on what it reads.
 * @throws AppError option_unknown, option_invalid, permission_denied.
 */
export function changeOptions(
  ctx: Context,
  actor: Actor,
  changesOf: (ctx: TxContext, current: OptionValues) => Promise<readonly OptionChange[]>,
): Promise<void> {
  return writing(ctx, async (ctx) => {
    // Announced first: the scope's row lock is what makes writers of options take turns.
    await announceChange(ctx.db, 'options', 0);
    const current = await loadOptions(ctx);
    const changes = await changesOf(ctx, current);
    for (const { key } of changes) usableKey(actor, key);
    for (const option of parsed(changes, current)) await save(ctx, actor, option, current);
  });
}

function parsed(changes: readonly OptionChange[], current: OptionValues): ParsedOption[] {
  const textOf = (key: string) => current.raw(key);
  const [only, ...more] = changes;
  if (only !== undefined && more.length === 0) return [parseOption(only.key, only.value, textOf)];
  return parseOptions(changes, textOf);
}

async function save(
  ctx: TxContext,
  actor: Actor,
  { key, stored }: ParsedOption,
  current: OptionValues,
): Promise<void> {
  if (current.raw(key) === stored) return;
  if (stored === rowOf(key).fallback) await dropOption(ctx.db, key);
  else await putOption(ctx.db, key, isSecret(key) ? ctx.secrets.encrypt(stored) : stored);
  await note(ctx, actor, {
    action: 'option_set',
    content: `Option ${key} was changed`,
    facts: { key },
  });
}

function entryOf(options: OptionValues, key: OptionKey) {
  return { key, value: options.raw(key), changed: options.stored().has(key) };
}

function isSecret(key: string): boolean {
  return isOptionKey(key) && rowOf(key).secret === true;
}

function usableKey(actor: Actor, key: string): OptionKey {
  if (!isOptionKey(key)) throw new AppError('option_unknown', { key }, { param: key });
  if (!mayUseOption(roleOf(actor), key)) throw new AppError('permission_denied');
  return key;
}
