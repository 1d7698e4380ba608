/** `gateway channel create`: on a terminal it asks for what the flags do not say. */
import { CHANNEL_TYPE_LIST, channelTypeOf } from '../../../domain/channels/channel-types.ts';
import { typeOfKey } from '../../../domain/channels/key-forms.ts';
import type { Cli } from '../../cli.ts';
import { channelsNamed } from '../../lookup/find-by-name.ts';
import { createCommand } from '../create-command.ts';
import { EDIT, NAMED } from './channel-edit.ts';
import { FIELD_FLAGS, type FieldFlags, type Fields, fieldsOf, keyOf } from './channel-fields.ts';
import { offerPrices } from './channel-prices.ts';
import { testChannel } from './channel-trial.ts';
import { BRIEF } from './channel-views.ts';

export const create = createCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: [
    'create --name openai-main --type openai --key-env OPENAI_KEY --models gpt-4o,gpt-4o-mini --test',
    'create --name deepseek --type deepseek --key-env DEEPSEEK_KEY --fetch-models',
    'create --name router --type openrouter --key-env ROUTER_KEY --fetch-models --with-prices',
    'create --name local --type ollama --base-url http://127.0.0.1:11434 --models llama3 --key-stdin < key.txt',
    'create --name openai-main --type openai --key-env OPENAI_KEY --models gpt-4o --upsert',
  ],
  name: (cli, { name }) => name ?? cli.ask(cli.t('cli.ask.channel_name'), '--name'),
  named: async (cli, name) => channelsNamed(await cli.api(), name),
  async create(cli, flags, name) {
    const given = fieldsOf(cli, flags);
    const { type, key } = await typeAndKey(cli, flags, given);
    const base_url = given.base_url ?? (await askedAddress(cli, type));
    const upstream = { ...given, name, type, key, base_url };
    const models = flags.fetchModels
      ? await offeredTo(cli, upstream)
      : (given.models ?? (await cli.ask(cli.t('cli.ask.models'), '--models')));
    const change = { action: 'create', noun: 'channel', name } as const;
    const input = { ...upstream, models };
    await cli.changeAndPrint(change, (api) => api.channel.create(input), BRIEF);
    if (cli.globals.dryRun) return;
    await offerPrices(cli, name, flags);
    if (flags.test) await testChannel(cli, name);
    else cli.note(cli.t('cli.notes.test_channel', { name }));
  },
  keep: (cli, channels) => cli.print(channels.length === 1 ? channels[0] : channels, BRIEF),
  edit: EDIT,
});

interface TypeAndKey {
  readonly type: Fields['type'];
  readonly key: string;
}

/** A type that is not given is asked for; else the form of the key says it. */
async function typeAndKey(cli: Cli, flags: FieldFlags, given: Fields): Promise<TypeAndKey> {
  const sent = await keyOf(cli, flags, 'optional');
  const ofSent = typeOfKey(sent ?? '')?.slug;
  const isAsked = given.type === undefined && cli.mayAsk();
  const type = isAsked ? await askedType(cli, ofSent) : (given.type ?? ofSent);
  const key = sent ?? (await keyOf(cli, flags, 'ask')) ?? '';
  if (given.type === undefined && !isAsked && type !== undefined)
    cli.note(cli.t('cli.notes.type_of_key', { type }));
  const ofKey = typeOfKey(key)?.slug;
  // Behind an address of its own, a service may be a relay that takes any form of key.
  if (ofKey === undefined || isSameType(ofKey, type) || given.base_url) return { type, key };
  const facts = { key: ofKey, type: channelTypeOf(type ?? DEFAULT_TYPE)?.slug ?? String(type) };
  if (isAsked && (await cli.io.confirm(cli.t('cli.ask.type_of_key', facts))))
    return { type: ofKey, key };
  cli.note(cli.t('cli.notes.other_type_of_key', facts));
  return { type, key };
}

/** What a channel without a type is. */
const DEFAULT_TYPE = 'openai';

function isSameType(slug: string, type: Fields['type'] = DEFAULT_TYPE): boolean {
  return channelTypeOf(slug) === channelTypeOf(type);
}

function askedType(cli: Cli, proposed = DEFAULT_TYPE): Promise<string> {
  const choices = CHANNEL_TYPE_LIST.map(({ slug, name, aliases = [] }) => {
    const words = [slug, ...aliases].filter((word) => word !== name.toLowerCase());
    return { value: slug, label: words.length === 0 ? name : `${name} (${words.join(', ')})` };
  });
  return cli.choose(cli.t('cli.ask.channel_type'), '--type', choices, proposed);
}

/** Undefined where the type has its own address, or nothing can be asked. */
async function askedAddress(cli: Cli, type: Fields['type']): Promise<string | undefined> {
  if (!cli.mayAsk()) return undefined;
  const wanted = channelTypeOf(type ?? DEFAULT_TYPE)?.type;
  const types = await (await cli.api()).channelModel.types({});
  const isNeeded = types.find((row) => row.type === wanted)?.address.needed ?? false;
  return isNeeded ? cli.ask(cli.t('cli.ask.base_url'), '--base-url') : undefined;
}

/** The upstream's model list for a channel that does not exist yet. */
async function offeredTo(cli: Cli, { type, base_url, key, other }: Fields & { key: string }) {
  const api = await cli.api();
  return (await api.channelModel.fetchOf({ type, base_url, key, other: other ?? '' })).join(',');
}
