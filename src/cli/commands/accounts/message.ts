/** `gateway message`: messages from administrators to users, and the caller's own inbox. */

import { definedFields } from '../../../domain/defined-fields.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import {
  type FoundMessage,
  findMessage,
  findUser,
  messagesTitled,
} from '../../lookup/find-by-name.ts';
import { allItems } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';
import {
  briefOf,
  deleteCommand,
  editCommand,
  listCommand,
  type NamedNoun,
} from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';

const VIEW: View = {
  columns: ['id', 'title', 'format', 'created_at', 'total_recipients', 'read_count', 'read_rate'],
  wide: ['updated_at', 'created_by', 'content'],
};
const RECIPIENTS: View = {
  columns: ['user_id', 'username', 'display_name', 'read_at'],
  id: 'user_id',
};
const INBOX: View = {
  columns: ['id', 'title', 'created_at', 'is_read'],
  wide: ['read_at', 'format', 'content'],
};

const FORMATS = ['markdown', 'html'] as const;

/** Puts a message's statistics beside its other fields. */
function flat({ stats, ...message }: FoundMessage) {
  return { ...message, ...stats };
}

const list = listCommand({
  flags: ['--q <text>', '--from <time>', '--until <time>'],
  examples: ['list', 'list --q maintenance', 'list --from 30d --json'],
  view: VIEW,
  query: (cli, { q: keyword, from, until }) => ({
    keyword,
    start_date: momentOf(cli, '--from', from),
    end_date: momentOf(cli, '--until', until),
  }),
  page: (api, query) => api.message.list(query),
  shown: flat,
});

function momentOf(cli: Cli, name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // A plain date is passed as it is: as an end it means the whole day.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  return new Date(cli.values.since(name, text) * 1000).toISOString();
}

const get = command({
  usage: 'get <message>',
  examples: ['get 3', 'get 3 --fields content'],
  async run(cli, { message }) {
    await cli.print(flat(await findMessage(cli, message)), VIEW);
  },
});

const NAMED: NamedNoun<FoundMessage> = {
  noun: 'message',
  find: findMessage,
  nameOf: ({ title }) => title,
  view: VIEW,
};
const BRIEF = briefOf(NAMED);

/** Flags of send and edit. */
const FIELD_FLAGS = ['--title <text>', '--content <text>', '--format <format>'] as const;

async function fieldsOf(
  cli: Cli,
  { title, content, format }: FlagsOf<(typeof FIELD_FLAGS)[number]>,
) {
  return {
    title,
    content: content === undefined ? undefined : await cli.textOrFile('--content', content),
    format: cli.values.choice('--format', format, FORMATS),
  };
}

const EDIT = {
  fields: fieldsOf,
  save: async (
    api: LocalApi,
    { id, title, content }: FoundMessage,
    fields: Awaited<ReturnType<typeof fieldsOf>>,
  ) => flat(await api.message.edit({ id, title, content, ...definedFields(fields) })),
};

const SEND_FLAGS = [...FIELD_FLAGS, '--to <users>', '--to-group <name>', '--to-all'] as const;

/** Titles may repeat, as that of a notice of each month does. */
const send = createCommand(
  NAMED,
  {
    flags: SEND_FLAGS,
    examples: [
      'send --title Maintenance --content @notice.md --to-all',
      'send --title Welcome --content "Hello **you**" --to alice,7',
      'send --title News --content - --format html --to-group vip --yes < news.html',
      'send --title Rules --content @rules.md --to-all --upsert',
    ],
    mayRepeat: true,
    name: (cli, { title }) => title ?? cli.ask(cli.t('cli.ask.title'), '--title'),
    named: async (cli, title) => messagesTitled(await cli.api(), title),
    create: sendMessage,
    keep: (cli, messages) => cli.print(messages.map(flat), BRIEF),
    edit: EDIT,
  },
  'send',
);

async function sendMessage(
  cli: Cli,
  { to, toGroup, toAll = false, ...flags }: FlagsOf<(typeof SEND_FLAGS)[number]>,
  title: string,
): Promise<void> {
  const ways = [to !== undefined, toGroup !== undefined, toAll].filter(Boolean);
  if (ways.length !== 1)
    throw cli.values.refuse('--to', 'one_of', { names: ['--to', '--to-group', '--to-all'] });
  const asked = flags.content ?? (await cli.ask(cli.t('cli.ask.content'), '--content'));
  const { content = '', format = 'markdown' } = await fieldsOf(cli, { ...flags, content: asked });
  const names = cli.values.list(to ?? '');
  const users = await Promise.all(names.map((name) => findUser(cli, name)));
  const input = {
    title,
    content,
    format,
    user_ids: users.map(({ id }) => id),
    ...(toGroup !== undefined && { group: toGroup }),
    to_all: toAll,
  };
  // A message to many users cannot be recalled, so the number of recipients is shown first.
  const count = to === undefined ? await receivers(cli, toGroup) : undefined;
  const loses = count === undefined ? {} : { loses: cli.t('cli.loses.sent', { count }) };
  const change = { action: 'create', noun: 'message', name: title, ...loses } as const;
  await cli.changeAndPrint(change, async (api) => flat(await api.message.create(input)), BRIEF);
}

async function receivers(cli: Cli, group: string | undefined): Promise<number> {
  const api = await cli.api();
  if (group === undefined) return (await api.user.list({ page_size: 1 })).total;
  const groups = await allItems(api.group.list, { keyword: group });
  return groups.find(({ name }) => name === group)?.users ?? 0;
}

const edit = editCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: ['edit 3 --title "Maintenance is over"', 'edit 3 --content @notice.md --dry-run'],
  ...EDIT,
});

const remove = deleteCommand(NAMED, ['delete 3 --yes'], (api, { id }) =>
  api.message.remove({ id }),
);

const recipients = listCommand({
  usage: 'recipients <message>',
  examples: ['recipients 3', 'recipients 3 --all --output csv'],
  view: RECIPIENTS,
  query: async (cli, { message }) => ({ id: (await findMessage(cli, message)).id }),
  page: (api, query) => api.message.recipients(query),
});

const inbox = listCommand({
  usage: 'inbox',
  flags: ['--unread'],
  examples: ['inbox', 'inbox --unread --output ids'],
  view: INBOX,
  query: (_cli, { unread }) => ({ unread }),
  page: (api, query) => api.message.inbox(query),
});

const read = command({
  usage: 'read <id>',
  examples: ['read 3', 'read 3 --fields content'],
  async run(cli, { id }) {
    const api = await cli.api();
    const message = await api.message.read({ id });
    if (!message.is_read && !cli.globals.dryRun) await api.message.markRead({ id });
    await cli.print(message, INBOX);
  },
});

export const message: Noun = {
  name: 'message',
  verbs: [list, get, send, edit, remove, recipients, inbox, read],
};
