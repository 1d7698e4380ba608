/** `gateway channel edit`, and what `channel create --upsert` changes. */
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { type Channel, findChannel, requireFreeName } from '../../lookup/find-by-name.ts';
import { editCommand, type NamedNoun } from '../common-verbs.ts';
import { FIELD_FLAGS, type FieldFlags, fieldsOf, keyOf } from './channel-fields.ts';
import { offerPrices } from './channel-prices.ts';
import { testChannel } from './channel-trial.ts';
import { BRIEF, VIEW } from './channel-views.ts';

export const NAMED: NamedNoun<Channel> = {
  noun: 'channel',
  find: findChannel,
  nameOf: ({ name }) => name,
  view: VIEW,
  brief: BRIEF,
};

export const EDIT = {
  fields: changedFields,
  save: (api: LocalApi, { id }: Channel, fields: Awaited<ReturnType<typeof changedFields>>) =>
    api.channel.edit({ ...fields, id }),
  also: {
    isRequested: ({ fetchModels = false, withPrices = false, test = false }: FieldFlags) =>
      fetchModels || withPrices || test,
    async run(cli: Cli, flags: FieldFlags, { id }: Channel) {
      if (flags.fetchModels || flags.withPrices) await offerPrices(cli, String(id), flags);
      if (flags.test) await testChannel(cli, String(id));
    },
  },
};

export const edit = editCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: [
    'edit openai-main --priority 10 --weight 5',
    'edit 3 --key-file new-key.txt --dry-run',
    'edit 3 --key-file new-key.txt --test',
    'edit openrouter --with-prices',
    'edit openai-main --max-concurrency 20 --tokens-per-minute 100000',
    'edit openai-main --cost-factor 0.8',
  ],
  ...EDIT,
});

async function changedFields(cli: Cli, flags: FieldFlags, channel: Channel) {
  const { id, name, setting, cost } = channel;
  const key = await keyOf(cli, flags, 'optional');
  const models = flags.fetchModels ? await offered(cli, id) : undefined;
  if (flags.name !== undefined && flags.name !== name) await requireFreeName(cli, flags.name);
  const fields = { ...fieldsOf(cli, flags, channel), key, ...(models && { models }) };
  // Caps and costs are merged into the objects as they were read, so these must not have changed.
  const before = {
    ...(flags.setting === undefined && fields.setting !== undefined && { setting }),
    ...(fields.cost !== undefined && { cost }),
  };
  return { ...fields, ...(Object.keys(before).length > 0 && { before }) };
}

async function offered(cli: Cli, id: number): Promise<string> {
  return (await (await cli.api()).channelModel.fetch({ id })).join(',');
}
