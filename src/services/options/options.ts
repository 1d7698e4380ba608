/**
 * Site options: validated before they are written, encrypted if they are secrets, announced to
 * every process in the same transaction. Only values that differ from the default have a row.
 */

import { type Actor, pageWindow, type Service, toPage, type Visit } from '../../api/call.ts';
import type { optionCalls } from '../../api/site/option.ts';
import { type Context, nowSec } from '../../context.ts';
import { localServerAddress } from '../../domain/addresses/server-address.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { invalidInput } from '../../domain/errors/input-problems.ts';
import {
  keepsSecret,
  type OptionChange,
  type ParsedOption,
  parseOption,
  parseOptions,
} from '../../domain/options/parse.ts';
import {
  isOptionKey,
  mayUseOption,
  OPTION_KEYS,
  type OptionKey,
  OptionValues,
  optionRowOf,
  unknownOption,
} from '../../domain/options/registry.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  deleteOption,
  insertOptionChange,
  pageOfOptionChanges,
  putOption,
  storedOptions,
} from '../../store/tables/options-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { recordAction, roleOf } from '../logs/audit.ts';
import { impactOfOptions } from './option-impact.ts';

/** Without `resetModelRatio`, which is about prices (`billing/prices.ts`). */
type Calls = Service<typeof optionCalls, Context>;

/**
 * The stored options, with secrets decrypted.
 * @throws AppError `secret_key_wrong` when a secret was encrypted with another key.
 */
export async function loadOptions(
  source: Pick<Context, 'reads' | 'secrets' | 'config'>,
): Promise<OptionValues> {
  const stored = await storedOptions(source.reads);
  for (const [key, value] of stored)
    if (isSecret(key) && value !== '') stored.set(key, source.secrets.decrypt(value));
  return new OptionValues(stored, { ServerAddress: localServerAddress(source.config.port) });
}

export const list: Calls['list'] = async (ctx, actor, input) => {
  const options = await loadOptions(ctx);
  return OPTION_KEYS.filter((key) => mayUseOption(roleOf(actor), key))
    .filter((key) => key.startsWith(input.prefix ?? '') && (input.secrets || !isSecret(key)))
    .map((key) => (isSecret(key) ? secretOf(options, key) : entryOf(options, key)))
    .filter((entry) => !input.changed || entry.changed);
};

export const get: Calls['get'] = async (ctx, actor, input) => {
  const key = usableKey(actor, input.key);
  const options = await loadOptions(ctx);
  return isSecret(key)
    ? { ...secretOf(options, key), secret: true }
    : { ...entryOf(options, key), secret: false, is_set: isSet(options, key) };
};

/** @throws AppError as `changeOptions`. */
export const set: Calls['set'] = (ctx, actor, { impact: _, ...change }, visit) =>
  setMany(ctx, actor, { options: [change] }, visit);

/** @throws AppError as `changeOptions`, and changed_meanwhile; then none of them is saved. */
export const setMany: Calls['setMany'] = async (ctx, actor, { options }, visit) => {
  for (const { key } of options) usableKey(actor, key);
  const changes = options.filter(({ key, value }) => !keepsSecret(key, value));
  if (changes.length === 0) return;
  const changesOf: ChangesOf = async (_ctx, current) => {
    for (const { key, before } of changes)
      if (before !== undefined) requireUnchanged(current, usableKey(actor, key), before);
    return changes;
  };
  await changeOptions(ctx, actor, changesOf, visit);
};

/**
 * For a secret, `before` would reveal whether a guess is right.
 * @throws AppError changed_meanwhile, input_invalid.
 */
function requireUnchanged(current: OptionValues, key: OptionKey, before: string): void {
  if (isSecret(key)) throw invalidInput('before', 'secret_before');
  if (current.raw(key) !== before) throw new AppError('changed_meanwhile', { what: key });
}

export const unset: Calls['unset'] = async (ctx, actor, input, visit) => {
  const key = usableKey(actor, input.key);
  const changesOf: ChangesOf = async (_ctx, current) => [{ key, value: current.default(key) }];
  await changeOptions(ctx, actor, changesOf, visit);
};

/**
 * @throws AppError option_invalid when a single price and ratios are mixed, or one ratio is
 * missing.
 */
export const validateFallbackPricing: Calls['validateFallbackPricing'] = async (
  _ctx,
  _actor,
  input,
) => {
  const changes: Readonly<Record<OptionKey & `fallback_${string}`, unknown>> = {
    fallback_pricing_enabled: input.enabled,
    fallback_single_price: input.single_price,
    fallback_input_ratio: input.input_ratio,
    fallback_completion_ratio: input.completion_ratio,
  };
  const rows = Object.entries(changes).map(([key, value]) => ({ key, value }));
  parseOptions(rows, () => '');
};

/** Omits changes of options above the actor's role, like the options themselves. */
export const audit: Calls['audit'] = async (ctx, actor, input) => {
  const window = pageWindow(input);
  const keys = OPTION_KEYS.filter((key) => mayUseOption(roleOf(actor), key));
  const shownKeys = input.key ? keys.filter((key) => key === input.key) : keys;
  const { rows, total } = await pageOfOptionChanges(ctx.reads, shownKeys, window);
  const names = await usernamesOf(
    ctx.reads,
    rows.map((row) => row.user_id),
  );
  const items = rows.map((row) => ({ ...row, username: names.get(row.user_id) ?? '' }));
  return toPage(window, items, total);
};

export type ChangesOf = (ctx: TxContext, current: OptionValues) => Promise<readonly OptionChange[]>;

/**
 * Saves the changes that `changesOf` derives from the current options, all or nothing. The options
 * are locked meanwhile, so it may rely on what it reads.
 * @throws AppError option_unknown, option_invalid, permission_denied, demo_mode.
 */
export function changeOptions(
  ctx: Context,
  actor: Actor,
  changesOf: ChangesOf,
  visit?: Visit,
): Promise<void> {
  return writing(ctx, async (ctx) => {
    // Announced first: the scope's row lock serializes writers of options.
    await announceChange(ctx.db, 'options', 0);
    const current = await loadOptions(ctx);
    const changes = await changesOf(ctx, current);
    for (const { key } of changes) usableKey(actor, key);
    requireChangeable(actor, changes, current);
    const options = parsed(changes, current).filter(
      ({ key, stored }) => current.raw(key) !== stored,
    );
    if (visit?.reportImpact !== undefined)
      for (const impact of await impactOfOptions(ctx, current, withChanges(current, options)))
        visit.reportImpact(impact);
    for (const option of options) await save(ctx, actor, option, current);
  });
}

function withChanges(current: OptionValues, options: readonly ParsedOption[]): OptionValues {
  const changed = options.map(({ key, stored }) => [key, stored] as const);
  return current.with(changed);
}

/** In demo mode its own option stays writable, so that a super admin can end it. */
function requireChangeable(
  actor: Actor,
  changes: readonly OptionChange[],
  current: OptionValues,
): void {
  if (actor.kind === 'operator' || !current.get('DemoSiteEnabled')) return;
  if (changes.some(({ key }) => key !== 'DemoSiteEnabled')) throw new AppError('demo_mode');
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
  const before = current.raw(key);
  if (stored === current.default(key)) await deleteOption(ctx.db, key);
  else await putOption(ctx.db, key, isSecret(key) ? ctx.secrets.encrypt(stored) : stored);
  await recordChange(ctx, actor, key, { before, after: stored });
}

const MASK = '***';
const MAX_LOGGED_CHARS = 200;

/**
 * Stores the change with its values for those who may see the option, and writes a log entry. All
 * admins read the log, so values that some of them may not see are masked there.
 */
async function recordChange(
  ctx: TxContext,
  actor: Actor,
  key: OptionKey,
  { before, after }: { readonly before: string; readonly after: string },
): Promise<void> {
  await insertOptionChange(ctx.db, {
    created_at: nowSec(ctx),
    user_id: actor.kind === 'user' ? actor.id : 0,
    key,
    old_value: isSecret(key) ? masked(before) : before,
    new_value: isSecret(key) ? masked(after) : after,
  });
  const logged = (text: string) => (optionRowOf(key).role === 10 ? truncated(text) : masked(text));
  await recordAction(ctx, actor, {
    action: 'option_set',
    event: { event: 'option_changed', params: { key } },
    facts: { key, old: logged(before), new: logged(after) },
  });
}

function masked(text: string): string {
  return text === '' ? '' : MASK;
}

function truncated(text: string): string {
  return text.length > MAX_LOGGED_CHARS
    ? `${text.slice(0, MAX_LOGGED_CHARS).toWellFormed()}…`
    : text;
}

function entryOf(options: OptionValues, key: OptionKey) {
  return { key, value: options.raw(key), changed: options.stored().has(key) };
}

/** Omits the value. */
function secretOf(options: OptionValues, key: OptionKey) {
  return { ...entryOf(options, key), value: '', is_set: isSet(options, key) };
}

/** An empty list of a secret option counts as none. */
function isSet(options: OptionValues, key: OptionKey): boolean {
  const text = options.raw(key);
  return text !== '' && !(isSecret(key) && text === options.default(key));
}

function isSecret(key: string): boolean {
  return isOptionKey(key) && optionRowOf(key).secret === true;
}

function usableKey(actor: Actor, key: string): OptionKey {
  if (!isOptionKey(key)) throw unknownOption(key);
  if (!mayUseOption(roleOf(actor), key)) throw new AppError('permission_denied');
  return key;
}
