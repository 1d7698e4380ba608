/** `gateway channel`: the upstream providers. */
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import type { Cli } from '../cli.ts';
import { command, type Noun } from '../command.ts';
import { findChannel } from '../find.ts';
import type { View } from '../output.ts';
import { LIST_FLAGS, listed } from '../paging.ts';
import { CHANNEL_WORDS } from '../present.ts';
import type { Api } from '../session.ts';
import { models, test } from './channel-probe.ts';

const VIEW: View = {
  columns: ['id', 'name', 'type', 'status', 'group', 'models', 'priority', 'weight', 'used_quota'],
  wide: ['tag', 'base_url', 'response_time', 'test_time', 'balance', 'key'],
  words: CHANNEL_WORDS,
};
const BRIEF: View = { ...VIEW, columns: ['id', 'name', 'status', 'group', 'models'], brief: true };

const list = command({
  usage: 'list',
  alias: 'ls',
  flags: [
    '--q <text>',
    '--group <name>',
    '--model <model>',
    '--type <type>',
    '--status <status>',
    '--tag <tag>',
    '--sort <order>',
    ...LIST_FLAGS,
  ],
  examples: ['list', 'list --status auto --json', 'list --model gpt-4o-mini --group vip'],
  async run(cli, flags) {
    const api = await cli.api();
    const { q: keyword, group, model, type, tag } = flags;
    const sort = cli.values.choice('--sort', flags.sort ?? 'priority', ['priority', 'id']);
    const status = flags.status && cli.values.word('--status', flags.status, STATUS_WORDS);
    const filters = { keyword, group, model, type, tag, status, id_sort: sort === 'id' };
    const ask = (page: object) => api.channel.list({ ...page, ...filters });
    await cli.print(await listed(cli, flags, ask), VIEW);
  },
});

/** The words of the table, and the short ones of the field. */
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

/** Flags of create and edit: one per field that an operator sets. */
const FIELD_FLAGS = [
  '--name <name>',
  '--type <type>',
  '--key-env <variable>',
  '--key-file <path>',
  '--key-stdin',
  '--base-url <url>',
  '--models <names>',
  '--groups <names>',
  '--priority <n>',
  '--weight <n>',
  '--tag <tag>',
  '--prefix <text>',
  '--mapping <json>',
  '--status-mapping <json>',
  '--param-override <json>',
  '--setting <json>',
  '--system-prompt <text>',
  '--test-model <model>',
  '--auto-ban <switch>',
  '--organization <id>',
  '--other <text>',
] as const;

interface FieldFlags {
  readonly name?: string;
  readonly type?: string;
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly keyStdin?: boolean;
  readonly baseUrl?: string;
  readonly models?: string;
  readonly groups?: string;
  readonly priority?: string;
  readonly weight?: string;
  readonly tag?: string;
  readonly prefix?: string;
  readonly mapping?: string;
  readonly statusMapping?: string;
  readonly paramOverride?: string;
  readonly setting?: string;
  readonly systemPrompt?: string;
  readonly testModel?: string;
  readonly autoBan?: string;
  readonly organization?: string;
  readonly other?: string;
}

type Fields = Omit<Parameters<Api['channel']['edit']>[0], 'id' | 'key' | 'status'>;

function fieldsOf({ values }: Cli, flags: FieldFlags): Fields {
  const whole = (name: string, text: string | undefined) =>
    text === undefined ? undefined : values.wholeNumber(name, text);
  const json = (name: string, text: string | undefined) =>
    text === undefined ? undefined : values.json(name, text);
  const { type, autoBan } = flags;
  return {
    name: flags.name,
    type: type !== undefined && /^\d+$/.test(type) ? Number(type) : type,
    base_url: flags.baseUrl,
    models: flags.models,
    group: flags.groups,
    priority: whole('--priority', flags.priority),
    weight: whole('--weight', flags.weight),
    tag: flags.tag,
    model_prefix: flags.prefix,
    model_mapping: json('--mapping', flags.mapping),
    status_code_mapping: json('--status-mapping', flags.statusMapping),
    param_override: json('--param-override', flags.paramOverride),
    setting: json('--setting', flags.setting),
    system_prompt: flags.systemPrompt,
    test_model: flags.testModel,
    auto_ban:
      autoBan === undefined
        ? undefined
        : switchOf(values.choice('--auto-ban', autoBan, ['on', 'off'])),
    openai_organization: flags.organization,
    other: flags.other,
  };
}

function switchOf(word: 'on' | 'off'): 0 | 1 {
  return word === 'on' ? 1 : 0;
}

/** Keys never stand on the command line: other users of the machine could read them. */
function keyOf(cli: Cli, flags: FieldFlags, ask: 'ask' | 'optional'): Promise<string | undefined> {
  const { keyEnv: env, keyFile: file, keyStdin: stdin } = flags;
  const names = '--key-env, --key-file, --key-stdin';
  return cli.secret(cli.t('cli.ask.key'), { env, file, stdin }, names, ask);
}

const create = command({
  usage: 'create',
  flags: FIELD_FLAGS,
  examples: [
    'create --name openai-main --type openai --key-env OPENAI_KEY --models gpt-4o,gpt-4o-mini',
    'create --name local --type ollama --base-url http://127.0.0.1:11434 --models llama3 --key-stdin < key.txt',
  ],
  async run(cli, flags) {
    const fields = fieldsOf(cli, flags);
    const name = fields.name ?? (await cli.ask(cli.t('cli.ask.channel_name'), '--name'));
    const models = fields.models ?? (await cli.ask(cli.t('cli.ask.models'), '--models'));
    const key = (await keyOf(cli, flags, 'ask')) ?? '';
    const input = { ...fields, name, models, key };
    const change = { action: 'create', noun: 'channel', name } as const;
    const channel = await cli.change(change, (api) => api.channel.create(input));
    if (channel !== undefined) await cli.print(channel, BRIEF);
  },
});

const edit = command({
  usage: 'edit <channel>',
  flags: FIELD_FLAGS,
  examples: [
    'edit openai-main --priority 10 --weight 5',
    'edit 3 --key-file new-key.txt --dry-run',
  ],
  async run(cli, { channel: text, ...flags }) {
    const before = await findChannel(cli, text);
    const key = await keyOf(cli, flags, 'optional');
    const fields = { ...fieldsOf(cli, flags), key };
    cli.requireFields(fields);
    const input = { ...fields, id: before.id };
    const change = { action: 'update', noun: 'channel', name: before.name, before } as const;
    const channel = await cli.change(change, (api) => api.channel.edit(input));
    if (channel !== undefined) await cli.print(channel, BRIEF);
  },
});

const remove = command({
  usage: 'delete <channel>',
  examples: ['delete openai-old', 'delete 3 --yes'],
  async run(cli, { channel: text }) {
    const { id, name } = await findChannel(cli, text);
    const loses = cli.t('cli.loses.channel');
    const change = { action: 'delete', noun: 'channel', name, loses } as const;
    await cli.change(change, (api) => api.channel.remove({ id }));
    if (!cli.globals.dryRun) await cli.done('channel', name, 'deleted');
  },
});

function setStatus(verb: 'enable' | 'disable', status: 1 | 2) {
  return command({
    usage: `${verb} <channel>`,
    flags: ['--reason <text>'],
    examples: [`${verb} openai-main`],
    async run(cli, { channel: text, reason }) {
      const before = await findChannel(cli, text);
      const { id, name } = before;
      const change = { action: 'update', noun: 'channel', name, before } as const;
      const channel = await cli.change(change, (api) =>
        api.channel.setStatus({ id, status, reason }),
      );
      if (channel !== undefined) await cli.print(channel, BRIEF);
    },
  });
}

const copy = command({
  usage: 'copy <channel>',
  flags: ['--name <name>'],
  examples: ['copy openai-main --name openai-second'],
  async run(cli, { channel: text, name }) {
    const { id, name: from } = await findChannel(cli, text);
    const change = { action: 'create', noun: 'channel', name: name ?? from } as const;
    const channel = await cli.change(change, (api) => api.channel.copy({ id, name }));
    if (channel !== undefined) await cli.print(channel, BRIEF);
  },
});

const fix = command({
  usage: 'fix',
  examples: ['fix'],
  async run(cli) {
    const change = { action: 'update', noun: 'channel', name: 'abilities' } as const;
    const rows = await cli.change(change, (api) => api.channel.fixAbilities({}));
    if (rows !== undefined) await cli.print({ abilities: rows }, { columns: ['abilities'] });
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
    setStatus('enable', 1),
    setStatus('disable', 2),
    test,
    models,
    copy,
    fix,
  ],
};
