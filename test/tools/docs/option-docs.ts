/** Generates `docs/options.md` from the registry, so that the two cannot differ. */
import { OPTION_PROBLEMS } from '../../../src/domain/options/problems.ts';
import { OPTION_KEYS, type OptionKey, optionRowOf } from '../../../src/domain/options/registry.ts';
import type { OptionGroup, OptionRow } from '../../../src/domain/options/row.ts';
import { SHAPES } from '../../../src/domain/options/shapes.ts';
import { optionSummary } from '../../../src/domain/options/summary.ts';

const GROUPS: Readonly<Record<OptionGroup, string>> = {
  accounts: 'Accounts',
  'sign-in': 'Sign-in providers',
  mail: 'Mail',
  presentation: 'Presentation',
  network: 'Network',
  payment: 'Payment',
  quota: 'Quota',
  pricing: 'Prices',
  'rate-limit': 'Rate limits and caps',
  relay: 'Relay',
  models: 'Models',
  monitoring: 'Monitoring',
  logging: 'Logs and dashboard',
  sensitive: 'Sensitive words',
  drawing: 'Image tasks and other tasks',
  modes: 'Modes',
};

const INTRODUCTION = `# Options

This page lists the options: the settings that administrators change while the gateway runs. It is generated: change the
rows in \`src/domain/options\` and run \`npx tsx test/tools/docs/print-docs.ts\`. Settings that need a restart are in
[configuration.md](configuration.md). Options are changed in the console, with \`gateway option\`, or over HTTP:

| Call | What it does |
|---|---|
| \`GET /api/option/\` | lists the options that the caller may change, as \`[{key, value, changed}]\`, without secrets; with \`?secrets=true\` it also shows which secrets are set (\`is_set\`) |
| \`PUT /api/option/\` | changes one option: \`{key, value}\`; the value is text or the JSON form of its type |
| \`PUT /api/option/batch\` | changes several options, all or none: \`{options: [{key, value}]}\` |
| \`GET\`, \`DELETE /api/option/{key}\` | shows an option, resets it to its default |
| \`GET /api/option/audit\` | lists changes: who, when, old and new value; for secrets without values |
| \`POST /api/option/rest_model_ratio\` | removes the site's own prices of all models, so that the built-in prices apply, like \`gateway price reset\` |
| \`POST /api/option/validate_fallback_pricing\` | checks \`{enabled, single_price, input_ratio, completion_ratio}\` without saving |

A value is checked before it is stored. A change takes effect at once in the process that received it and in those with the
same data folder or Redis, and within half a second in every other process of the site.

- **Role** is the lowest role that may see and change the option: 10 administrator, 100 super administrator.
- **Secret** values are encrypted in the database and never shown. An empty text keeps the stored value, \`DELETE\`
  removes it.
- **Public** values are visible to visitors who are not signed in.
- A switch that **needs** another option can be turned on only if that option is not empty. The option
  that it needs, or **uses**, cannot be emptied while the switch is on.
- Trailing slashes of addresses, and blank or repeated items of lists, are removed.`;

export function optionsMarkdown(): string {
  const groups = Object.entries(GROUPS) as [OptionGroup, string][]; // keys of a typed object
  const sections = groups.flatMap(([group, title]) => [
    `## ${title}`,
    tableOf(OPTION_KEYS.filter((key) => optionRowOf(key).group === group)),
  ]);
  return [INTRODUCTION, ...sections, ...refusals()].join('\n\n').concat('\n');
}

function tableOf(keys: readonly OptionKey[]): string {
  const head = ['| Option | Type | Default | Role | Meaning |', '|---|---|---|---|---|'];
  const rows = keys.map((key) => {
    const row = optionRowOf(key);
    return line([`\`${key}\``, typeOf(row), defaultOf(row), String(row.role), meaningOf(key, row)]);
  });
  return [...head, ...rows].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeOf(row: OptionRow): string {
  switch (row.type) {
    case 'bool':
      return 'true or false';
    case 'int':
    case 'number':
      return `${row.type === 'int' ? 'whole number' : 'number'}, ${boundsOf(row)}`;
    case 'choice':
      return row.choices.map((choice) => `\`${choice}\``).join(', ');
    case 'lines':
      return 'one per line';
    case 'list':
      return 'list, separated by commas';
    case 'json':
      return `JSON: ${SHAPES[row.shape].text}`;
    case 'text':
      return row.form ?? 'text';
  }
}

function boundsOf(row: OptionRow & { readonly type: 'int' | 'number' }): string {
  const bounds = row.max === undefined ? `${row.min} or more` : `${row.min} to ${row.max}`;
  if (row.boundWhile !== undefined) return `${bounds} while \`${row.boundWhile}\` is on`;
  return row.blank ? `${bounds}, or empty` : bounds;
}

const MAX_DEFAULT_LENGTH = 60;

function defaultOf({ fallback }: OptionRow): string {
  if (fallback === '') return 'empty';
  const [first = '', ...more] = fallback.split('\n');
  if (more.length > 0) return `${more.length + 1} lines`;
  return first.length > MAX_DEFAULT_LENGTH
    ? `\`${first.slice(0, MAX_DEFAULT_LENGTH)}…\``
    : `\`${first}\``;
}

function meaningOf(key: OptionKey, row: OptionRow): string {
  const others =
    row.type === 'bool' ? [...otherOf('Needs', row.needs), ...otherOf('Uses', row.uses)] : [];
  const marks = [row.secret && 'Secret.', row.public && 'Public.'].filter(Boolean);
  return [optionSummary(key, 'en'), ...others, ...marks].join(' ');
}

function otherOf(verb: string, key: string | undefined): string[] {
  return key === undefined ? [] : [`${verb} \`${key}\`.`];
}

function refusals(): string[] {
  const rows = Object.entries(OPTION_PROBLEMS).map(([reason, text]) =>
    line([`\`${reason}\``, text]),
  );
  return [
    '## Why a value is refused',
    'The error is `option_invalid`. Its text never contains the value.',
    ['| Reason | Text |', '|---|---|', ...rows].join('\n'),
  ];
}
