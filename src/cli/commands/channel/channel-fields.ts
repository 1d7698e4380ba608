/** The flags of `create` and `edit` of a channel, and the fields that they set. */

import { CHANNEL_TYPE_LIST, channelTypeOf } from '../../../domain/channels/channel-types.ts';
import { CAPS } from '../../../domain/nouns/caps.ts';
import { CHANNEL } from '../../../domain/nouns/channel.ts';
import { parsedObject } from '../../../json/parse-json-object.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import type { FlagsOf } from '../../command.ts';
import { columnFlags, columnValues } from '../column-flags.ts';

/** Columns whose flags are parsed as their kind says. */
const { type: _, setting: __, ...PLAIN } = CHANNEL;

export const FIELD_FLAGS = [
  ...columnFlags(CHANNEL),
  '--key-env <variable>',
  '--key-file <path>',
  '--key-stdin',
  '--fetch-models',
  '--with-prices',
  '--test',
  ...columnFlags(CAPS),
  '--cost-factor <number>',
  '--cost-rates <json>',
] as const;

export type FieldFlags = FlagsOf<(typeof FIELD_FLAGS)[number]>;

export type Fields = Omit<Parameters<LocalApi['channel']['edit']>[0], 'id' | 'key' | 'status'>;

/** @param before the channel's current objects, whose other members are kept. */
export function fieldsOf(
  { values }: Cli,
  flags: FieldFlags,
  before: Partial<Record<'setting' | 'cost', string>> = {},
): Fields {
  return {
    ...columnValues(values, PLAIN, flags),
    type: typeIn(values, flags.type),
    setting: withCaps(
      values.json('--setting', flags.setting),
      before.setting,
      columnValues(values, CAPS, flags),
    ),
    cost: costOf(values, flags, before.cost),
  };
}

/** A number, or a name that this version knows. */
export function typeIn(
  values: Cli['values'],
  text: string | undefined,
): string | number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  if (channelTypeOf(text) !== undefined) return text;
  const slugs = CHANNEL_TYPE_LIST.map(({ slug }) => slug);
  throw values.notAmong('--type', text, slugs, 'channel_type');
}

/** The given setting, else the current one, with the caps merged in; 0 removes a cap. */
function withCaps(
  given: string | undefined,
  before: string | undefined,
  caps: Readonly<Partial<Record<keyof typeof CAPS, number | undefined>>>,
): string | undefined {
  const changed = Object.entries(caps).filter(([, cap]) => cap !== undefined);
  if (changed.length === 0) return given;
  const text = given ?? before ?? '';
  const value: unknown = text === '' ? {} : JSON.parse(text);
  // Not an object: the call rejects it with its own message.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return given;
  const members = new Map<string, unknown>(Object.entries(value));
  for (const [name, cap] of changed) {
    if (cap === 0) members.delete(name);
    else members.set(name, cap);
  }
  return members.size === 0 ? '' : JSON.stringify(Object.fromEntries(members));
}

/** The current cost with the given parts replaced; an empty part is removed. */
function costOf(
  values: Cli['values'],
  { costFactor, costRates }: FieldFlags,
  before = '',
): string | undefined {
  if (costFactor === undefined && costRates === undefined) return undefined;
  const cost = new Map(Object.entries(parsedObject(before)));
  const put = (name: string, value: unknown) =>
    value === undefined ? cost.delete(name) : cost.set(name, value);
  if (costFactor !== undefined)
    put('factor', costFactor === '' ? undefined : values.decimal('--cost-factor', costFactor));
  const rates = values.json('--cost-rates', costRates);
  if (rates !== undefined) put('rates', rates === '' ? undefined : JSON.parse(rates));
  return cost.size === 0 ? '' : JSON.stringify(Object.fromEntries(cost));
}

/** Keys are never command-line arguments: other users of the machine could read them. */
export function keyOf(
  cli: Cli,
  flags: FieldFlags,
  ask: 'ask' | 'optional',
): Promise<string | undefined> {
  const { keyEnv: env, keyFile: file, keyStdin: stdin } = flags;
  const names = '--key-env, --key-file, --key-stdin';
  return cli.secret(cli.t('cli.ask.key'), { env, file, stdin }, names, ask);
}
