/** `gateway channel`: manages the upstream providers. */
import { CHANNEL_HEALTHS } from '../../../domain/channels/channel-health.ts';
import { CHANNEL_STATUS } from '../../../domain/statuses.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { type Channel, findChannel, requireFreeName } from '../../lookup/find-by-name.ts';
import { allItems, LIST_FLAGS, printList, printRows } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';
import { deleteCommand, statusCommands } from '../common-verbs.ts';
import { applyCommand } from '../site/apply.ts';
import { balance } from './channel-balance.ts';
import { create } from './channel-create.ts';
import { edit, NAMED } from './channel-edit.ts';
import { typeIn } from './channel-fields.ts';
import { keys, wake } from './channel-keys.ts';
import { models, test } from './channel-probe.ts';
import { pruneDisabled, tag } from './channel-tag.ts';
import { exportChannels, importChannels } from './channel-transfer.ts';
import { types } from './channel-types.ts';
import { BRIEF, VIEW } from './channel-views.ts';
import { watch } from './channel-watch.ts';

const list = command({
  usage: 'list',
  flags: [
    '--q <text>',
    '--group <name>',
    '--model <model>',
    '--type <type>',
    '--status <status>',
    '--tag <tag>',
    '--health <state>',
    '--sort <order>',
    '--tag-view',
    ...LIST_FLAGS,
  ],
  examples: [
    'list',
    'list --health failing',
    'list --status auto --json',
    'list --model gpt-4o-mini --group vip',
    'list --status off,auto --output ids',
    'list --tag-view',
  ],
  async run(cli, { tagView = false, ...flags }) {
    const api = await cli.api();
    const { q: keyword, group, model, tag } = flags;
    const type = typeIn(cli.values, flags.type);
    const health = cli.values.choice('--health', flags.health, CHANNEL_HEALTHS);
    const usual = health === 'failing' ? 'failing_since' : 'priority';
    const sort = cli.values.choice('--sort', flags.sort ?? usual, SORTS);
    const [status, ...others] = statusesOf(cli, flags.status);
    const filters = { keyword, group, model, type, tag, health, sort };
    const ask = (page: object) => api.channel.list({ ...page, ...filters, status });
    if (others.length === 0 && !tagView) return printList(cli, flags, VIEW, ask);
    // Both need all channels: the call filters by a single status and pages by channels.
    const items = await allItems(api.channel.list, filters);
    const wanted = new Set([status, ...others]);
    const found = items.filter((channel) => status === undefined || wanted.has(channel.status));
    if (!tagView) return printRows(cli, flags, VIEW, found);
    return printRows(cli, flags, TAG_VIEW, tagRows(found));
  },
});

const SORTS = ['priority', 'id', 'failing_since'] as const;

function statusesOf(cli: Cli, text: string | undefined): number[] {
  return cli.values.list(text ?? '').map((word) => cli.values.word('--status', word, STATUS_WORDS));
}

const TAG_VIEW: View = {
  columns: ['tag', 'channels', 'enabled', 'priority', 'weight', 'used_quota'],
  id: 'tag',
};

/** One row per tag and one for untagged channels; values that differ within a tag are empty. */
function tagRows(channels: readonly Channel[]) {
  const tags = [...new Set(channels.map(({ tag }) => tag))];
  return tags.map((tag) => {
    const own = channels.filter((channel) => channel.tag === tag);
    return {
      tag,
      channels: own.length,
      enabled: own.filter(({ status }) => status === CHANNEL_STATUS.enabled).length,
      priority: common(own.map(({ priority }) => priority)),
      weight: common(own.map(({ weight }) => weight)),
      used_quota: own.reduce((sum, { used_quota }) => sum + used_quota, 0),
    };
  });
}

function common(values: readonly number[]): number | null {
  const [first = null, ...others] = new Set(values);
  return others.length === 0 ? first : null;
}

/** The words shown in the table, and the short forms of the flag. */
const STATUS_WORDS = {
  ...CHANNEL_STATUS,
  on: CHANNEL_STATUS.enabled,
  off: CHANNEL_STATUS.disabled,
  auto: CHANNEL_STATUS.auto_disabled,
};

const get = command({
  usage: 'get <channel>',
  flags: ['--reveal'],
  examples: ['get openai-main', 'get 3 --json', 'get 3 --reveal --fields key'],
  async run(cli, { channel, reveal = false }) {
    const { id } = await findChannel(cli, channel);
    await cli.print(await (await cli.api()).channel.get({ id, reveal }), VIEW);
  },
});

const remove = deleteCommand(NAMED, ['delete openai-old', 'delete 3 --yes'], (api, { id }) =>
  api.channel.remove({ id }),
);

const statuses = statusCommands(
  NAMED,
  'openai-main',
  (api, { id }, status, { reason }) => api.channel.setStatus({ id, status, reason }),
  ['--reason <text>'],
);

const copy = command({
  usage: 'copy <channel>',
  flags: ['--name <name>'],
  examples: ['copy openai-main --name openai-second'],
  async run(cli, { channel: text, name }) {
    const { id, name: from } = await findChannel(cli, text);
    if (name !== undefined) await requireFreeName(cli, name.trim());
    const change = { action: 'create', noun: 'channel', name: name ?? from } as const;
    await cli.changeAndPrint(change, (api) => api.channel.copy({ id, name }), BRIEF);
  },
});

const fix = command({
  usage: 'fix',
  examples: ['fix'],
  async run(cli) {
    const change = { action: 'update', noun: 'channel', name: 'abilities' } as const;
    const fixAbilities = async (api: LocalApi) => ({
      abilities: await api.channel.fixAbilities({}),
    });
    await cli.changeAndPrint(change, fixAbilities, { columns: ['abilities'] });
  },
});

export const channel: Noun = {
  name: 'channel',
  verbs: [
    list,
    get,
    create,
    edit,
    remove,
    ...statuses,
    test,
    models,
    balance,
    keys,
    wake,
    tag,
    pruneDisabled,
    watch,
    copy,
    exportChannels,
    importChannels,
    applyCommand('channels', [
      'apply -f channels.yaml --dry-run --exit-code',
      'apply -f channels.yaml --prune --tag managed --yes --test',
    ]),
    fix,
    types,
  ],
};
