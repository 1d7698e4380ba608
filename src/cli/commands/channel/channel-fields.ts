/** The channel fields that an operator sets, and the flags of `create` and `edit` for them. */

import { CHANNEL_TYPE_LIST, channelTypeOf } from '../../../domain/channels/channel-types.ts';
import { parsedObject } from '../../../json/parse-json-object.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import type { FlagsOf } from '../../command.ts';

/** One flag per field that an operator sets. */
export const FIELD_FLAGS = [
  '--name <name>',
  '--type <type>',
  '--key-env <variable>',
  '--key-file <path>',
  '--key-stdin',
  '--base-url <url>',
  '--models <names>',
  '--fetch-models',
  '--with-prices',
  '--test',
  '--groups <names>',
  '--priority <n>',
  '--weight <n>',
  '--tag <tag>',
  '--prefix <text>',
  '--max-input-tokens <n>',
  '--max-concurrency <n>',
  '--tokens-per-minute <n>',
  '--mapping <json>',
  '--status-mapping <json>',
  '--cost-factor <number>',
  '--cost-rates <json>',
  '--param-override <json>',
  '--setting <json>',
  '--system-prompt <text>',
  '--test-model <model>',
  '--auto-ban <switch>',
  '--organization <id>',
  '--other <text>',
] as const;

export type FieldFlags = FlagsOf<(typeof FIELD_FLAGS)[number]>;

export type Fields = Omit<Parameters<LocalApi['channel']['edit']>[0], 'id' | 'key' | 'status'>;

/** @param before the channel's current objects, whose other members are kept. */
export function fieldsOf(
  { values }: Cli,
  flags: FieldFlags,
  before: Partial<Record<'setting' | 'cost', string>> = {},
): Fields {
  const autoBan = values.choice('--auto-ban', flags.autoBan, ['on', 'off']);
  return {
    name: flags.name?.trim(),
    type: typeIn(values, flags.type),
    base_url: flags.baseUrl,
    models: flags.models,
    group: flags.groups,
    priority: values.wholeNumber('--priority', flags.priority),
    weight: values.wholeNumber('--weight', flags.weight),
    tag: flags.tag,
    model_prefix: flags.prefix,
    max_input_tokens: values.wholeNumber('--max-input-tokens', flags.maxInputTokens),
    model_mapping: values.json('--mapping', flags.mapping),
    status_code_mapping: values.json('--status-mapping', flags.statusMapping),
    param_override: values.json('--param-override', flags.paramOverride),
    setting: withCaps(values.json('--setting', flags.setting), before.setting, values.caps(flags)),
    cost: costOf(values, flags, before.cost),
    system_prompt: flags.systemPrompt,
    test_model: flags.testModel,
    auto_ban: autoBan === undefined ? undefined : autoBan === 'on' ? 1 : 0,
    openai_organization: flags.organization,
    other: flags.other,
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
  throw values.notAmong(
    '--type',
    text,
    CHANNEL_TYPE_LIST.map(({ slug }) => slug),
    'channel_type',
  );
}

type Caps = ReturnType<Cli['values']['caps']>;

/** The given setting, else the current one, with the caps merged in; 0 removes a cap. */
function withCaps(
  given: string | undefined,
  before: string | undefined,
  caps: Caps,
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
