/**
 * Runs the command tree on two equal sites, one through its database and one through its server.
 * Every command that is not limited to the local machine must print and exit alike on both.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import bcrypt from 'bcryptjs';
import { afterAll, expect, it } from 'vitest';
import { aSite, OPERATOR, type Site } from '../support/site.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { changeCheck } from '../system/security/tables.ts';
import { EVERY_LINE } from './package/packed.ts';
import { runCommand, type TerminalOptions } from './terminal.ts';
import { withoutLine } from './tree.ts';

const PASSWORD = 'right password';

/** Commands about the local machine, or ones that `run-and-chat.test.ts` covers. */
const OF_THIS_MACHINE = new Set([
  'serve',
  'demo',
  'db',
  'import',
  'backup',
  'restore',
  'secret-key',
  'upgrade-check',
  'login',
  'logout',
  'whoami',
  'config',
  'version',
  'completion',
  'docs',
  'chat',
  'run',
  'tui',
  'bench',
]);
/** Commands that differ on purpose: they describe the location and machine of the site. */
const OF_THE_PLACE = new Set([
  'status',
  'doctor',
  'node list --json',
  'token snippet ci --for curl',
]);
/** Commands for users only: the local operator has no inbox. */
const OF_A_USER = new Set(['message inbox --unread --json', 'message read 1 --json']);

/** Run in order; REQUEST is the id of an earlier call, FOLDER a folder for files. */
const SCRIPT: readonly (string | readonly [words: string, stdin: string])[] = [
  'status',
  'doctor',
  'setup --if-needed --username root --password-stdin',
  ['user create --username alice --password-stdin --usd 2 --json', 'password-1'],
  'user list --json',
  'user get alice --json',
  'user edit alice --display-name Alice --max-concurrency 5 --json',
  'user promote alice --json',
  'user demote alice --json',
  'user disable alice --json',
  'user enable alice --json',
  'user quota alice --add --usd 1 --json',
  ['user passwd alice --password-stdin', 'password-2'],
  'user token alice --yes --json',
  'group create --name basic --ratio 1 --json',
  'group set vip --ratio 0.5 --selectable --desc Best --json',
  'group list --json',
  'group delete vip --yes --json',
  ['channel create --name second --base-url UPSTREAM --models gpt-4o --key-stdin --json', 'sk-up'],
  'channel list --json',
  'api GET /api/channel/?status=1&page_size=5',
  'api get /api/user/1',
  `api PUT /api/option/ --body {"key":"RetryTimes","value":3}`,
  'channel get second --json',
  'channel edit second --priority 3 --max-concurrency 4 --json',
  'channel disable second --reason tired --json',
  'channel enable second --json',
  'channel test channel3 --model gpt-4o-mini --fields channel_name,success,model --output csv',
  'channel models channel3 --diff --json',
  'channel balance channel3 --fields channel_name,success --output csv',
  'channel keys second --json',
  'channel wake second --json',
  'channel types',
  'channel types dify --json',
  'channel copy second --name third --json',
  'channel tag set prod second third --json',
  'channel tag priority prod 7 --json',
  'channel tag rename prod live --json',
  'channel tag off live --json',
  'channel tag on live --json',
  'channel list --tag-view --json',
  'channel list --status on,off --output ids',
  'channel tag unset live --json',
  'channel watch second --until healthy --timeout 1ms --json',
  'channel disable third',
  'channel prune-disabled --yes --json',
  'channel copy second --name third --json',
  'channel export --json',
  'channel import FOLDER/channels.json --json',
  'channel fix --json',
  'channel delete third --yes --json',
  'token create --name ci --user alice --usd 1 --json',
  'token list --json',
  'token get ci --json',
  'token edit ci --models gpt-4o --tokens-per-minute 9000 --json',
  'token disable ci --json',
  'token enable ci --json',
  'token reveal ci --json',
  'token snippet ci --for curl',
  'token delete ci --yes --json',
  'budget create --group default --usd 5 --per day --json',
  'budget list --json',
  'budget get 1 --json',
  'budget edit 1 --usd 6 --json',
  'budget raise 1 --usd 1 --json',
  'budget windows 1 --json',
  'budget disable 1 --json',
  'budget enable 1 --json',
  'budget delete 1 --yes --json',
  'alert set mailbox --kind email --address ops@example.com --json',
  'alert list --json',
  'alert test mailbox --json',
  'alert delete mailbox --yes --json',
  'redemption create --name spring --usd 1 --count 2 --key "" --json',
  'redemption list --json',
  'redemption get 1 --json',
  'redemption edit 1 --usd 2 --json',
  'redemption disable 1 --json',
  'redemption enable 1 --json',
  'redemption delete 1 --yes --json',
  'redemption disable 2 --json',
  'redemption delete-disabled --yes --json',
  'redemption delete-used --yes --json',
  'redemption delete-by-name spring --yes --json',
  'option set Notice hello --json',
  'option list --prefix Notice --json',
  'option get Notice --json',
  'option edit Notice --json',
  'option diff --json',
  'option export --json',
  'option unset Notice --json',
  'price set my-model --in 1 --out 2 --json',
  'price get my-model --json',
  'price list --q my-model --json',
  'price calc my-model --prompt 1000 --completion 10 --json',
  'price unset my-model --json',
  'price unpriced --json',
  'price list --vendor anthropic --size 3 --json',
  'price import FOLDER/prices.json --dry-run --exit-code --json',
  'price import FOLDER/prices.json --json',
  'price import FOLDER/prices.json --exit-code --json',
  'price reset --yes --json',
  'price sync FOLDER/prices.json --dry-run --exit-code --json',
  'price sync FOLDER/prices.json --yes --json',
  'price sync FOLDER/prices.json --yes --exit-code --json',
  'price sync --remove --yes --json',
  'plan -f FOLDER/site.json --json',
  'apply -f FOLDER/site.json --yes --json',
  'apply -f FOLDER/site.json --dry-run --exit-code',
  'channel apply -f FOLDER/site.json --yes --json',
  'option apply -f FOLDER/site.json --yes --json',
  'export --json',
  'log list --type consume --json',
  'log list --type consume --limit 1 --fields time,user,model,status_code --json',
  'log tail --limit 2 --json',
  'log get REQUEST --json',
  'log stat --json',
  'log export --type consume --format csv --out FOLDER/log.csv',
  'task list --status failure --json',
  'task get nope --json',
  'drawing list --since 24h --json',
  'drawing get nope --json',
  'message send --title Hello --content **World** --to alice --json',
  'message list --json',
  'message get Hello --json',
  'message edit Hello --title Bye --json',
  'message recipients Bye --json',
  'message delete Bye --yes --json',
  'message inbox --unread --json',
  'message read 1 --json',
  'ledger list --cause charge --json',
  'ledger statement --user alice --month 2026-11 --json',
  'ledger verify --json',
  'node list --json',
  'node drain nobody --json',
  'explain REQUEST --json',
  'log clear --before 2020-01-01 --yes --json',
  'log clear --before 2020-01-01 --export FOLDER/old.jsonl --yes --json',
  'user delete alice --yes --json',
];

interface Side {
  readonly site: Site;
  readonly folder: string;
  readonly requestId: string;
  readonly env: Readonly<Record<string, string>>;
}

const here = await aSide(({ dsn, ctx }) => ({
  GATEWAY_DATA: ctx.config.dataDir,
  GATEWAY_DB: dsn,
}));
const there = await aSide(({ url }, token) => ({
  GATEWAY_URL: url,
  GATEWAY_ACCESS_TOKEN: token,
  GATEWAY_PASSWORD: PASSWORD,
}));
afterAll(async () => {
  for (const { site } of [here, there]) await site.close();
});
const writesNothing = changeCheck(here.site);

async function aSide(
  envOf: (site: Site, accessToken: string) => Record<string, string>,
): Promise<Side> {
  const site = await aSite({
    config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
  });
  const root = await site.addUser({
    username: 'root',
    role: 100,
    password: await bcrypt.hash(PASSWORD, 4),
  });
  const folder = tempFolder();
  const document = { channels: [{ name: 'imported', key: 'sk-1', models: ['gpt-4o'] }] };
  await writeFile(path.join(folder, 'channels.json'), JSON.stringify(document));
  const wanted = {
    groups: [{ name: 'gold', ratio: 0.5 }],
    options: { Notice: 'from a file' },
    channels: [{ name: 'declared', key: 'sk-2', models: ['gpt-4o'], groups: ['gold'] }],
    redemptions: [{ name: 'summer', quota: 1000 }],
  };
  await writeFile(path.join(folder, 'site.json'), JSON.stringify(wanted));
  const prices = { model_ratio: { 'my-model': 2 }, completion_ratio: { 'my-model': 3 } };
  await writeFile(path.join(folder, 'prices.json'), JSON.stringify(prices));
  const { requestId } = await site.call({
    body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] },
  });
  await site.settled();
  const accessToken = await site.as(OPERATOR).user.newAccessToken({ id: root.id });
  return { site, folder, requestId, env: { HOME: folder, ...envOf(site, accessToken) } };
}

async function gateway({ env }: Side, words: readonly string[], options: TerminalOptions) {
  const { exit, out, err } = await runCommand(words, { ...options, env });
  return { exit, out, err };
}

it('the script, and that of the nightly test of the package, cover every command', () => {
  const runOn = SCRIPT.map((line) => (typeof line === 'string' ? line : line[0]));
  const missing = withoutLine(runOn).filter(
    (command) => !OF_THIS_MACHINE.has(command.split(' ')[0] ?? ''),
  );
  expect(missing).toEqual([]);
  expect(withoutLine(EVERY_LINE)).toEqual([]);
});

/** Commands that must exit with a status other than 0. */
const EXITS: Readonly<Record<string, number>> = {
  'channel watch second --until healthy --timeout 1ms --json': 10,
  'option edit Notice --json': 6,
  'price import FOLDER/prices.json --dry-run --exit-code --json': 9,
  'price sync FOLDER/prices.json --dry-run --exit-code --json': 9,
  'alert test mailbox --json': 6,
  'task get nope --json': 5,
  'drawing get nope --json': 5,
  'node drain nobody --json': 5,
  'message inbox --unread --json': 4,
  'message read 1 --json': 4,
};

/** Commands that accept a dry run, but write nothing anyway. */
const READS =
  /^\S+ (list|get|types|tail|stat|export|diff|calc|unpriced|verify|recipients|inbox|watch|windows)\b/;
/** Commands that show the key even in a dry run and record who viewed it. */
const LOOKS = /^token (reveal|snippet)\b/;

it.each(SCRIPT.map((line) => (typeof line === 'string' ? ([line, ''] as const) : line)))(
  'gateway %s',
  async (line, stdin) => {
    if (!READS.test(line) && !LOOKS.test(line))
      await writesNothing(async () => {
        await runOn(here, `${line} --dry-run`, stdin);
        await runOn(there, `${line} --dry-run`, stdin);
      });
    const [answer, same] = [await runOn(here, line, stdin), await runOn(there, line, stdin)];
    expect(answer.exit, JSON.stringify(answer)).toBe(EXITS[line] ?? 0);
    if (OF_A_USER.has(line)) expect(same.exit).toBe(line.includes('read 1') ? 5 : 0);
    else if (OF_THE_PLACE.has(line)) expect(same.exit).toBe(answer.exit);
    else expect(same).toEqual(answer);
  },
);

it('both sides wrote the same files', async () => {
  const [log, same] = await Promise.all(
    [here, there].map(async (side) =>
      plain(side, await readFile(path.join(side.folder, 'log.csv'), 'utf8')),
    ),
  );
  expect(same).toBe(log);
});

async function runOn(side: Side, line: string, stdin: string) {
  const words = line
    .replaceAll('REQUEST', side.requestId)
    .replaceAll('FOLDER', side.folder)
    .replaceAll('UPSTREAM', side.site.upstream.url)
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word === '""' ? '' : word));
  const { exit, out, err } = await gateway(side, words, { stdin, answers: [] });
  return { exit, out: sorted(plain(side, out)), err: plain(side, err) };
}

/** Sorts the fields of JSON, whose order has no meaning. */
function sorted(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Masks what must differ: addresses, random keys, times, and the acting user. */
function plain({ site, folder, requestId }: Side, text: string): string {
  return (
    text
      .replaceAll(site.url, 'SITE')
      .replaceAll(site.upstream.url, 'UPSTREAM')
      .replaceAll(folder, 'FOLDER')
      .replaceAll(requestId, 'REQUEST')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS')
      .replaceAll(/sk-[0-9A-Za-z]{3}(\*{3}[0-9A-Za-z]{3}|[0-9A-Za-z]{45})/g, 'KEY')
      .replaceAll(/\b[0-9a-f]{32}\b/g, 'CODE')
      .replaceAll(/"(key|aff_code|token|access_token|id_hash)": "[^"]*"/g, '"$1": "RANDOM"')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, 'TIME')
      .replaceAll(/\b1[789]\d{8}\b/g, 'SECONDS')
      .replaceAll(/"(\w*_ms|use_time|time|duration_ms|frt|first_token\w*)": -?[\d.]+/g, '"$1": 0')
      // Outcomes of calls are written some seconds later.
      .replaceAll(/"latest_outcome": (null|\{[^}]*\})/g, '"latest_outcome": null')
      .replaceAll(/"health": "(working|unknown)"/g, '"health": "SOON"')
      .replaceAll(/"(rpm|tpm)": \d+/g, '"$1": 0')
      .replaceAll(/(\\?""?(?:frt|duration_ms)\\?""?:)\d+/g, '$10')
      // In CSV: `use_time` in seconds, `use_time_ms`, `first_token_ms`, `is_stream`.
      .replaceAll(/,\d+,\d+,\d+,false,/g, ',0,0,0,false,')
      .replaceAll(/"user_id": ?2,/g, '"user_id":0,')
      .replaceAll(/"user_id": 0,/g, '"user_id":0,')
      .replaceAll(/"created_by": [02],/g, '"created_by": 0,')
      .replaceAll(/"(username|user)":( ?)"root"/g, '"$1":$2""')
      .replaceAll(',Channel test,2,root,0,', ',Channel test,0,,0,')
      .replaceAll('user:2', 'operator')
  );
}
