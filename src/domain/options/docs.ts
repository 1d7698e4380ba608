/** Generates `docs/options.md` from the registry, so that the two cannot differ. */
import { PROBLEMS } from './problems.ts';
import { OPTION_KEYS, type OptionKey, rowOf } from './registry.ts';
import type { OptionGroup, OptionRow } from './row.ts';
import { SHAPES } from './shapes.ts';

const GROUPS: Readonly<Record<OptionGroup, string>> = {
  accounts: 'Accounts',
  'sign-in': 'Sign-in providers',
  mail: 'Mail',
  presentation: 'Presentation',
  network: 'Network',
  payment: 'Payment',
  quota: 'Quota',
  pricing: 'Prices',
  'rate-limit': 'Rate limit',
  relay: 'Relay',
  models: 'Models',
  monitoring: 'Monitoring',
  logging: 'Logs and dashboard',
  sensitive: 'Sensitive words',
  drawing: 'Drawing and tasks',
  modes: 'Modes',
};

const INTRODUCTION = `# Options

Printed by \`npx tsx src/cli/print-docs.ts\`; a test compares the two.

Options are what changes while the gateway runs; what needs a restart is in
[configuration.md](configuration.md). They are changed in the console, with \`gateway option\`, or over
HTTP:

| Call | What it does |
|---|---|
| \`GET /api/option/\` | the options the caller may change, as \`[{key, value, changed}]\`; secrets never, with \`?secrets=true\` only whether they are set (\`is_set\`) |
| \`PUT /api/option/\` | changes one: \`{key, value}\`; the value is text or the JSON form of its type |
| \`PUT /api/option/batch\` | changes several, all or none: \`{options: [{key, value}]}\` |
| \`GET\`, \`DELETE /api/option/{key}\` | shows one, puts one back to its default |
| \`GET /api/option/audit\` | who changed what, from which value to which; of secrets only that they changed |
| \`POST /api/option/rest_model_ratio\` | removes the own prices of all models, whole: the built-in prices are in force again; like \`gateway price reset\` |
| \`POST /api/option/validate_fallback_pricing\` | checks \`{enabled, single_price, input_ratio, completion_ratio}\` without saving |

A value is checked before anything is written, and a change is in force at once in the process that took
it and in those with the same data folder or Redis, and within half a second in every other one with the same database.

- **Role** is the lowest that may see and change the option: 10 admin, 100 super admin.
- **Secret** values are encrypted in the database and never shown; saving an empty text keeps what is
  stored, \`DELETE\` removes it.
- **Public** values are seen by visitors who are not signed in.
- A switch that **needs** another option can be turned on only while that one is not empty.
- Addresses lose their trailing slash. Lists lose blanks and repetitions.`;

export function optionsMarkdown(): string {
  const groups = Object.entries(GROUPS) as [OptionGroup, string][]; // keys of a typed object
  const sections = groups.flatMap(([group, title]) => [
    `## ${title}`,
    tableOf(OPTION_KEYS.filter((key) => rowOf(key).group === group)),
  ]);
  return [INTRODUCTION, ...sections, ...refusals()].join('\n\n').concat('\n');
}

function tableOf(keys: readonly OptionKey[]): string {
  const head = ['| Option | Type | Default | Role | Meaning |', '|---|---|---|---|---|'];
  const rows = keys.map((key) => {
    const row = rowOf(key);
    return line([`\`${key}\``, typeOf(row), defaultOf(row), String(row.role), meaningOf(row)]);
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
      return 'comma list';
    case 'json':
      return `JSON: ${SHAPES[row.shape].text}`;
    case 'text':
      return row.form ?? 'text';
  }
}

function boundsOf(row: OptionRow & { readonly type: 'int' | 'number' }): string {
  const bounds = row.max === undefined ? `${row.min} or more` : `${row.min} to ${row.max}`;
  return row.blank ? `${bounds}, or empty` : bounds;
}

const LONGEST_DEFAULT = 60;

function defaultOf({ fallback }: OptionRow): string {
  if (fallback === '') return 'empty';
  const [first = '', ...more] = fallback.split('\n');
  if (more.length > 0) return `${more.length + 1} lines`;
  return first.length > LONGEST_DEFAULT
    ? `\`${first.slice(0, LONGEST_DEFAULT)}…\``
    : `\`${first}\``;
}

function meaningOf(row: OptionRow): string {
  const needs = row.type === 'bool' && row.needs ? ` Needs \`${row.needs}\`.` : '';
  const marks = [row.secret && 'Secret.', row.public && 'Public.'].filter(Boolean);
  return [row.summary + needs, ...marks].join(' ');
}

function refusals(): string[] {
  const rows = Object.entries(PROBLEMS).map(([reason, text]) => line([`\`${reason}\``, text]));
  return [
    '## Why a value is refused',
    'The error is `option_invalid`; the value itself is never repeated.',
    ['| Reason | Text |', '|---|---|', ...rows].join('\n'),
  ];
}
