/** `gateway budget`: what a token, user, group, channel, model or the site may use in a period. */
import {
  BUDGET_ANCHORS,
  BUDGET_MEASURES,
  BUDGET_PERIODS,
  type BudgetMeasure,
} from '../../../domain/budgets/budget.ts';
import { BUDGET_STATES } from '../../../domain/budgets/budget-state.ts';
import type { LocalApi } from '../../../session/session.ts';
import type { Cli } from '../../cli.ts';
import { command, type FlagsOf, type Noun } from '../../command.ts';
import {
  budgetLabel,
  budgetsLike,
  type FoundBudget,
  findBudget,
  SUBJECT_FLAGS,
  subjectIn,
  subjectOf,
} from '../../lookup/budgets.ts';
import { BUDGET_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';
import {
  briefOf,
  deleteCommand,
  editCommand,
  getCommand,
  listCommand,
  type NamedNoun,
  statusCommands,
} from '../common-verbs.ts';
import { createCommand } from '../create-command.ts';

const VIEW: View = {
  columns: [
    'id',
    'subject',
    'subject_name',
    'measure',
    'limit_amount',
    'period',
    'spent_amount',
    'held_amount',
    'left_amount',
    'resets_at',
    'state',
  ],
  wide: [
    'username',
    'models',
    'anchor',
    'time_zone',
    'warn_at',
    'notify_at',
    'on_full',
    'downgrade_model',
    'raised_amount',
    'raised_until',
    'shadow',
    'status',
  ],
  words: BUDGET_WORDS,
};

const WINDOWS: View = {
  columns: ['starts_at', 'resets_at', 'spent_amount', 'held_amount', 'is_current'],
  id: 'starts_at',
};

const list = listCommand({
  flags: ['--q <text>', ...SUBJECT_FLAGS, '--state <state>'],
  examples: ['list', 'list --token ci', 'list --state full --all --output csv'],
  view: VIEW,
  query: async (cli, { q, state, ...flags }) => ({
    ...(await subjectIn(cli, flags)),
    keyword: q,
    state: cli.values.choice('--state', state, BUDGET_STATES),
  }),
  page: (api, query) => api.budget.list(query),
});

const NAMED: NamedNoun<FoundBudget> = {
  noun: 'budget',
  find: findBudget,
  nameOf: budgetLabel,
  view: VIEW,
};
const BRIEF = briefOf(NAMED);

const get = getCommand(NAMED, ['get 12', 'get ci --json']);

const AMOUNT_FLAGS = ['--usd <amount>', '--quota <units>', '--limit <n>'] as const;

/** Flags of create and edit. */
const FIELD_FLAGS = [
  ...AMOUNT_FLAGS,
  '--models <names>',
  '--per <period>',
  '--anchor <anchor>',
  '--time-zone <zone>',
  '--warn-at <percent>',
  '--notify-at <percents>',
  '--downgrade-to <model>',
  '--shadow',
  '--not-shadow',
] as const;

type FieldFlags = FlagsOf<(typeof FIELD_FLAGS)[number]>;

/** Money is given as `--usd` or `--quota`, a number of calls or tokens as `--limit`. */
async function amountOf(
  cli: Cli,
  { usd, quota, limit }: FlagsOf<(typeof AMOUNT_FLAGS)[number]>,
  measure: BudgetMeasure,
): Promise<number | undefined> {
  const { values } = cli;
  const other = measure === 'units' ? '--measure calls' : '--measure units';
  if (measure === 'units') {
    if (limit !== undefined) throw values.refuse('--limit', 'needs', { other });
    const money = { ...(usd !== undefined && { usd }), ...(quota !== undefined && { quota }) };
    return values.units(money, (await cli.session()).quotaPerUnit);
  }
  if (usd !== undefined) throw values.refuse('--usd', 'needs', { other });
  if (quota !== undefined) throw values.refuse('--quota', 'needs', { other });
  return values.wholeNumber('--limit', limit);
}

async function fieldsOf(cli: Cli, flags: FieldFlags, { measure }: Pick<FoundBudget, 'measure'>) {
  const { values } = cli;
  if (flags.shadow && flags.notShadow)
    throw values.refuse('--shadow', 'not_both', { other: '--not-shadow' });
  const downgrade = flags.downgradeTo;
  return {
    limit_amount: await amountOf(cli, flags, measure),
    models: values.list(flags.models),
    period: values.choice('--per', flags.per, BUDGET_PERIODS),
    anchor: values.choice('--anchor', flags.anchor, BUDGET_ANCHORS),
    time_zone: flags.timeZone,
    warn_at: values.wholeNumber('--warn-at', flags.warnAt),
    notify_at: values
      .list(flags.notifyAt)
      ?.map((percent) => values.wholeNumber('--notify-at', percent)),
    on_full:
      downgrade === undefined
        ? undefined
        : downgrade === ''
          ? ('refuse' as const)
          : ('downgrade' as const),
    downgrade_model: downgrade,
    shadow: flags.shadow ?? (flags.notShadow ? false : undefined),
  };
}

const EDIT = {
  fields: fieldsOf,
  save: (api: LocalApi, { id }: FoundBudget, fields: Awaited<ReturnType<typeof fieldsOf>>) =>
    api.budget.edit({ ...fields, id }),
};

const CREATE_FLAGS = [...SUBJECT_FLAGS, ...FIELD_FLAGS, '--measure <measure>'] as const;

type CreateFlags = FlagsOf<(typeof CREATE_FLAGS)[number]>;

/** What tells budgets apart. */
async function keyOf(cli: Cli, flags: CreateFlags) {
  const { values } = cli;
  const { per } = flags;
  if (per === undefined) throw values.refuse('--per', 'required');
  return {
    ...(await subjectOf(cli, flags)),
    models: values.list(flags.models ?? ''),
    measure: values.choice('--measure', flags.measure ?? 'units', BUDGET_MEASURES),
    period: values.choice('--per', per, BUDGET_PERIODS),
  };
}

const create = createCommand(NAMED, {
  flags: CREATE_FLAGS,
  examples: [
    'create --token ci --usd 5 --per day',
    'create --user alice --usd 50 --per month --time-zone Asia/Shanghai --warn-at 90 --upsert',
    'create --channel 3 --measure calls --limit 1000 --per 5h --anchor first_use --shadow',
  ],
  name: async (cli, flags) => {
    const { label, period } = await keyOf(cli, flags);
    return `${label} / ${period}`;
  },
  named: async (cli, _name, flags) => budgetsLike(await cli.api(), await keyOf(cli, flags)),
  async create(cli, flags, name) {
    const { label: _, ...key } = await keyOf(cli, flags);
    const fields = await fieldsOf(cli, flags, key);
    const limit_amount = fields.limit_amount ?? missingLimit(cli, key.measure);
    const change = { action: 'create', noun: 'budget', name } as const;
    const input = { ...fields, ...key, limit_amount };
    await cli.changeAndPrint(change, (api) => api.budget.create(input), BRIEF);
  },
  edit: EDIT,
  mayRepeat: true,
});

function missingLimit({ values }: Cli, measure: BudgetMeasure): never {
  throw values.refuse(measure === 'units' ? '--usd' : '--limit', 'required');
}

const edit = editCommand(NAMED, {
  flags: FIELD_FLAGS,
  examples: ['edit 12 --usd 10', 'edit 12 --downgrade-to gpt-4o-mini --dry-run'],
  ...EDIT,
});

const raise = command({
  usage: 'raise <budget>',
  flags: [...AMOUNT_FLAGS, '--until <time>'],
  examples: [
    'raise ci --usd 5',
    "raise 'token ci / day' --usd 5 --until 2026-12-31",
    'raise 12 --usd 0',
  ],
  async run(cli, { budget: text, until, ...flags }) {
    const before = await findBudget(cli, text);
    const { id, measure } = before;
    const amount = (await amountOf(cli, flags, measure)) ?? missingLimit(cli, measure);
    const input = { id, amount, until: cli.values.expiry('--until', until) };
    const change = { action: 'update', noun: 'budget', name: budgetLabel(before), before } as const;
    await cli.changeAndPrint(change, (api) => api.budget.raise(input), BRIEF);
  },
});

const windows = listCommand({
  usage: 'windows <budget>',
  examples: ['windows ci', 'windows 12 --all --output csv'],
  view: WINDOWS,
  query: async (cli, { budget }) => ({ id: (await findBudget(cli, budget)).id }),
  page: (api, query) => api.budget.windows(query),
});

const remove = deleteCommand(NAMED, ['delete 12 --yes'], (api, { id }) =>
  api.budget.remove({ id }),
);

const statuses = statusCommands(NAMED, '12', (api, { id }, status) =>
  api.budget.edit({ id, status }),
);

export const budget: Noun = {
  name: 'budget',
  verbs: [list, get, create, edit, raise, windows, remove, ...statuses],
};
