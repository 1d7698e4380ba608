/** `gateway option`: reads and changes options at run time. */
import { AppError } from '../../../domain/errors/errors.ts';
import type { LocalApi } from '../../../session/session.ts';
import { withoutLastLineBreak } from '../../../session/values.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { briefOf, getCommand, type NamedNoun, updateCommand } from '../common-verbs.ts';
import { applyCommand, exportCommand, printPlan } from './apply.ts';

type Option = Awaited<ReturnType<LocalApi['option']['get']>>;

const VIEW: View = { columns: ['key', 'value', 'changed'], id: 'key' };
const NAMED: NamedNoun<Option> = {
  noun: 'option',
  argument: 'key',
  find: async (cli, key) => (await cli.api()).option.get({ key }),
  nameOf: ({ key }) => key,
  view: VIEW,
};

const list = command({
  usage: 'list',
  flags: ['--q <text>', '--prefix <text>', '--changed'],
  examples: ['list --changed', 'list --q mail', 'list --prefix Quota', 'list --json'],
  async run(cli, { q, prefix, changed }) {
    const options = await (await cli.api()).option.list({ prefix, changed });
    await cli.print(q === undefined ? options : await withText(cli, q, options), VIEW);
  },
});

/** The options with the text in their name, or in their description in the language of the terminal. */
async function withText<T extends { readonly key: string }>(
  { language }: Cli,
  text: string,
  options: readonly T[],
): Promise<T[]> {
  const [{ isOptionKey }, { optionSummary }] = await Promise.all([
    import('../../../domain/options/registry.ts'),
    import('../../../domain/options/summary.ts'),
  ]);
  const sought = text.toLowerCase();
  return options.filter(({ key }) => {
    const summary = isOptionKey(key) ? optionSummary(key, language) : '';
    return `${key} ${summary}`.toLowerCase().includes(sought);
  });
}

const get = getCommand(NAMED, ['get RetryTimes', 'get GroupRatio --fields value']);

const set = command({
  usage: 'set <key> [value]',
  examples: [
    'set RetryTimes 3',
    'set GroupRatio @groups.json',
    'set SMTPToken - < smtp-password.txt',
  ],
  async run(cli, { key, value: text }) {
    const before = await NAMED.find(cli, key);
    const value = await newValue(cli, key, text, before.secret);
    await save(cli, before, value);
  },
});

/** `@file` and `-` work for all options; secrets accept only these or a prompt. */
async function newValue(
  cli: Cli,
  key: string,
  text: string | undefined,
  isSecret: boolean,
): Promise<string> {
  const isInline = text !== undefined && text !== '-' && !text.startsWith('@');
  if (isSecret && isInline) throw new AppError('option_secret_argument', { key });
  if (text !== undefined) return cli.textOrFile('<value>', text);
  if (isSecret) return (await cli.secret(key, {}, '@file, -', 'ask')) ?? '';
  return cli.ask(key, '<value>');
}

/** `onlyIfUnchanged`: the value is based on the old one and must not overwrite another change. */
async function save(
  cli: Cli,
  { key, value: old, secret }: Option,
  value: string,
  { onlyIfUnchanged = false } = {},
): Promise<void> {
  const before = secret ? {} : { value: old };
  const change = { action: 'update', noun: 'option', name: key, before } as const;
  const set = async (api: LocalApi) => {
    await api.option.set({ key, value, ...(onlyIfUnchanged && { before: old }) });
    return api.option.get({ key });
  };
  await cli.changeAndPrint(change, set, briefOf(NAMED));
}

const unset = updateCommand(NAMED, 'unset', 'RetryTimes', async (api, { key }) => {
  await api.option.unset({ key });
  return api.option.get({ key });
});

const edit = command({
  usage: 'edit <key>',
  examples: ['edit GroupRatio', 'edit Notice'],
  async run(cli, { key }) {
    const before = await NAMED.find(cli, key);
    if (before.secret) throw new AppError('option_secret_argument', { key });
    if (!cli.mayAsk()) throw new AppError('prompt_needed', { what: key, flag: 'option set' });
    const isJson = /^[[{]/.test(before.value);
    const edited = withoutLastLineBreak(await cli.io.edit(before.value, isJson ? 'json' : 'txt'));
    if (edited === before.value) throw new AppError('nothing_changed');
    await save(cli, before, edited, { onlyIfUnchanged: true });
  },
});

const DIFF: View = { columns: ['key', 'from', 'to'], id: 'key' };

const diff = command({
  usage: 'diff',
  flags: ['-f, --file <file>', '--exit-code'],
  examples: ['diff', 'diff -f options.yaml --exit-code', 'diff --output ids'],
  async run(cli, { file, exitCode = false }) {
    if (file !== undefined) return printPlan(cli, { file, only: 'options', exitCode });
    const [changed, { isOptionKey, optionRowOf }] = await Promise.all([
      (await cli.api()).option.list({ changed: true }),
      import('../../../domain/options/registry.ts'),
    ]);
    const rows = changed.map(({ key, value }) => ({
      key,
      from: isOptionKey(key) ? optionRowOf(key).fallback : '',
      to: value,
    }));
    await cli.print(rows, DIFF);
    return exitCode && rows.length > 0 ? EXIT.checkFailed : EXIT.ok;
  },
});

export const option: Noun = {
  name: 'option',
  verbs: [
    list,
    get,
    set,
    unset,
    edit,
    diff,
    applyCommand('options', ['apply -f options.yaml --dry-run']),
    exportCommand('options', ['export > options.yaml', 'export --json']),
  ],
};
