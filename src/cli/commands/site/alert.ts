/** `gateway alert`: where the alerts of the site go besides super administrators. */
import { LANGUAGES } from '../../../domain/languages.ts';
import { DESTINATION_KINDS } from '../../../domain/notification-kinds.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import { deleteByNameCommand, replyCommand } from '../common-verbs.ts';

const VIEW: View = {
  columns: ['name', 'kind', 'address', 'failing_since', 'failure'],
  wide: ['language', 'has_secret'],
  id: 'name',
};
const BRIEF: View = { ...VIEW, brief: true };
const SENT: View = { columns: ['sent_to'], id: 'sent_to' };

type Destination = Awaited<ReturnType<LocalApi['destination']['list']>>[number];

async function destinationNamed(cli: Cli, name: string): Promise<Destination | undefined> {
  const all = await (await cli.api()).destination.list({});
  return all.find((destination) => destination.name === name);
}

const list = replyCommand('list', ['list', 'list --json'], VIEW, (api) => api.destination.list({}));

const set = command({
  usage: 'set <name>',
  flags: [
    '--kind <kind>',
    '--address <address>',
    '--language <language>',
    '--key-env <variable>',
    '--key-file <path>',
    '--key-stdin',
  ],
  examples: [
    'set operators --kind slack --address https://hooks.slack.com/services/T0/B0/X',
    'set mailbox --kind email --address ops@example.com',
    'set bot --kind feishu --address https://open.feishu.cn/open-apis/bot/v2/hook/1 --key-env BOT_SECRET',
  ],
  async run(cli, { name, address, keyEnv: env, keyFile: file, keyStdin: stdin, ...flags }) {
    const known = await destinationNamed(cli, name);
    const source = { env, file, stdin };
    const fields = {
      kind: cli.values.choice('--kind', flags.kind ?? known?.kind ?? 'webhook', DESTINATION_KINDS),
      address: address ?? known?.address ?? '',
      language: cli.values.choice('--language', flags.language, LANGUAGES) ?? known?.language,
      secret: await cli.secret(cli.t('cli.ask.key'), source, '--key-env', 'optional'),
    };
    const action = known ? 'update' : 'create';
    const change = { action, noun: 'destination', name, before: known } as const;
    const input = { name, before: known?.name, ...fields };
    await cli.changeAndPrint(change, (api) => api.destination.save(input), BRIEF);
  },
});

const test = replyCommand('test <name>', ['test operators'], SENT, (api, { name }) =>
  api.destination.test({ name }),
);

const remove = deleteByNameCommand('destination', ['delete operators'], (api, { name }) =>
  api.destination.remove({ name }),
);

export const alert: Noun = { name: 'alert', verbs: [list, set, test, remove] };
